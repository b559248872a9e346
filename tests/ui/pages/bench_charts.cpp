// SPDX-License-Identifier: GPL-3.0-or-later
// How long the overview takes to its first frame with 100,000 judged variants, and each chart after it. Prints; no
// test.
#include "core/charts/chartof.h"
#include "ui/charts/chartpanel.h"
#include "ui/charts/chartsview.h"
#include "ui/charts/chartview.h"
#include "ui/charts/overviewpage.h"
#include "ui/kit/theme.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTemporaryDir>

#include <cstdio>
#include <filesystem>

using namespace cudal1;
using namespace cudal1::ui;

namespace {

constexpr int variants = 100'000;

/// Written as SQL: through the store it would take minutes, most of them for packing samples that charts do not read.
bool fill(const QString& file)
{
    if (!store::Project::open(file.toStdString()))
        return false;
    bool ok = true;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("fill"));
        database.setDatabaseName(file);
        ok = database.open() && database.transaction();
        QSqlQuery query(database);
        const char* const statements[]{
            R"(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 249)
               INSERT INTO tasks (id, name, suite, level, hash, source)
               SELECT (i / 100 + 1) || '/' || (i % 100 + 1), 'Task', 'kernelbench', i / 100 + 1, 'hash' || i, '' FROM n)",
            R"(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %1 - 1)
               INSERT INTO variants (task, task_hash, source_hash, origin, techniques, created_ms)
               SELECT (i % 250 / 100 + 1) || '/' || (i % 250 % 100 + 1), 'hash' || (i % 250), CAST(i AS BLOB), 'technique library',
                      CASE i / 250 % 6 WHEN 0 THEN '["cuda_graph"]' WHEN 1 THEN '["tf32"]' WHEN 2 THEN '["cuda_graph","tf32"]'
                                       WHEN 3 THEN '["fold_scale"]' WHEN 4 THEN '["channels_last"]' ELSE '["fold_scale","tf32"]' END, i FROM n)",
            R"(INSERT INTO evaluations (variant, verdict, precision, preset, device, device_model, wall_estimate, wall_low, wall_high, precision_matched, first_reason, created_ms)
               SELECT id, CASE id % 3 WHEN 0 THEN 'incorrect' ELSE 'correct' END, 'kernelbench', 'quick', 'cuda:0', CASE id % 5 WHEN 0 THEN 'NVIDIA A100' ELSE 'NVIDIA H200' END,
                      CASE id % 3 WHEN 0 THEN NULL ELSE 0.5 + id % 97 * 0.05 END, CASE id % 3 WHEN 0 THEN NULL ELSE 0.495 + id % 97 * 0.0495 END,
                      CASE id % 3 WHEN 0 THEN NULL ELSE 0.505 + id % 97 * 0.0505 END, 1, '', id FROM variants)",
            "UPDATE variants SET evaluation = (SELECT e.id FROM evaluations e WHERE e.variant = variants.id)",
        };
        for (const char* statement : statements)
            if (ok &&
                !query.exec(QString::fromLatin1(statement).replace(QStringLiteral("%1"), QString::number(variants)))) {
                std::fprintf(stderr, "%s\n", qPrintable(query.lastError().text()));
                ok = false;
            }
        ok = ok && database.commit();
        database.close();
    }
    QSqlDatabase::removeDatabase(QStringLiteral("fill"));
    return ok;
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    Theme::instance().install(application);
    QTemporaryDir folder;
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        std::fprintf(stderr, "usage: %s [PROJECT]\n", argv[0]);
        return 2;
    }
    // A path as argument keeps the project, for a window or a command to open.
    const QString file = argc > 1 ? QString::fromLocal8Bit(argv[1]) : folder.filePath(QStringLiteral("bench.cudal1"));
    if (!std::filesystem::exists(file.toStdString()) && !fill(file))
        return 1;

    ProjectModel project;
    Selection selection;
    OverviewPage page(project, selection);
    page.resize(1200, 760);
    page.show();
    QElapsedTimer clock;
    clock.start();
    QEventLoop loop;
    QObject::connect(&project, &ProjectModel::tasksChanged, &loop, &QEventLoop::quit);
    project.open(file, {});
    loop.exec();
    (void)page.grab();
    std::printf("open %d variants, first frame of the overview %8.1f ms\n", variants,
                double(clock.nsecsElapsed()) / 1e6);
    for (const charts::KindInfo& kind : charts::kinds()) {
        if (kind.kind == charts::ChartKind::Distribution || kind.kind == charts::ChartKind::Percentiles)
            continue;
        clock.restart();
        QEventLoop ready;
        bool shown = false;
        const auto connection = QObject::connect(page.charts(), &ChartsView::shown, &ready, [&] {
            shown = true;
            ready.quit();
        });
        page.charts()->setKind(kind.kind);
        if (!shown)
            ready.exec();
        QObject::disconnect(connection);
        (void)page.charts()->grab();
        std::printf("%-12s read, made and painted                 %8.1f ms\n", kind.id.data(),
                    double(clock.nsecsElapsed()) / 1e6);
    }
    return 0;
}
