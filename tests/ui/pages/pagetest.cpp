// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the sample project for the tests of pages.
#include "pagetest.h"

#include "ui/kit/theme.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>

using namespace cudal1;
using namespace cudal1::ui;

void PageTest::initTestCase()
{
    Theme::instance().install(*qApp);
    // Layouts that a person keeps must not decide what a test sees.
    QCoreApplication::setOrganizationName(QStringLiteral("cudal1-test"));
    QVERIFY(m_folder.isValid());
    m_sample = tests::makeSampleProject(m_folder.path());
    QVERIFY(!m_sample.file.isEmpty());
    QSignalSpy opened(&m_project, &ProjectModel::opened), tasks(&m_project, &ProjectModel::tasksChanged);
    m_project.open(m_sample.file, {});
    QVERIFY(opened.count() > 0 || opened.wait(10'000));
    QTRY_COMPARE_WITH_TIMEOUT(int(m_project.tasks()->size()), 2, 10'000);
    m_project.variants(m_sample.task);
    QTRY_VERIFY_WITH_TIMEOUT(m_project.variants(m_sample.task) != nullptr, 10'000);
    QCOMPARE(m_project.variants(m_sample.task)->size(), std::size_t(3));
}
