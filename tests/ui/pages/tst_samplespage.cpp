// SPDX-License-Identifier: GPL-3.0-or-later
// The page of samples: questions and their replies, the search, texts and differences, the ledger, empty states.
#include "pagetest.h"
#include "sampledreplies.h"
#include "ui/compare/diffview.h"
#include "ui/editor/codeview.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/samples/foldsection.h"
#include "ui/samples/sampledetail.h"
#include "ui/samples/samplesfilter.h"
#include "ui/samples/samplespage.h"
#include "ui/samples/samplestree.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTest>

using namespace cudal1;
using namespace cudal1::ui;

namespace {

constexpr int deadline_ms = 20'000;

}

class TestSamplesPage : public PageTest {
    Q_OBJECT
    std::vector<base::SampleId> m_ids;
    std::unique_ptr<SamplesPage> m_page;

    void open(const base::TaskId& task)
    {
        m_selection.selectTask(task);
        m_page = std::make_unique<SamplesPage>(m_project, m_selection);
        m_page->resize(1200, 800);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
    }
    void openSample()
    {
        if (m_ids.empty())
            m_ids = tests::addReplies(m_sample);
        open(m_sample.task);
        QTRY_COMPARE_WITH_TIMEOUT(tree().model()->rowCount(), 2, deadline_ms);
        QVERIFY(!m_page->isEmpty());
    }
    SamplesTree& tree() const { return *m_page->tree(); }
    QString shown(int question, int reply, int column) const
    {
        const QModelIndex parent = tree().model()->index(question, 0);
        return (reply < 0 ? parent.siblingAtColumn(column) : tree().model()->index(reply, column, parent))
            .data()
            .toString();
    }
    /// Null while none of this text is seen.
    QPushButton* button(const char* text) const
    {
        for (QPushButton* one : m_page->findChildren<QPushButton*>())
            if (one->isVisible() && one->text() == QLatin1String(text))
                return one;
        return nullptr;
    }
    QString label(const char* name) const { return m_page->findChild<QLabel*>(QLatin1String(name))->text(); }

private slots:
    void cleanup() { m_page.reset(); }

    void withoutRepliesOneActionFillsThePage()
    {
        open(m_sample.task);
        QTRY_VERIFY_WITH_TIMEOUT(button("Optimize 1/12"), deadline_ms);
        QVERIFY(m_page->isEmpty());
        QSignalSpy wanted(m_page.get(), &SamplesPage::optimizeRequested);
        QTest::mouseClick(button("Optimize 1/12"), Qt::LeftButton);
        QCOMPARE(wanted.count(), 1);
        QVERIFY(wanted.front().front().value<base::TaskId>() == m_sample.task);
    }

    void theModelKeepsItsPromises()
    {
        m_ids = tests::addReplies(m_sample);
        SamplesModel model;
        QAbstractItemModelTester tester(&model);
        SamplesFilter filter(model, nullptr);
        QAbstractItemModelTester filtered(&filter);
        model.setView(*loadSamples(m_sample.file, m_sample.task));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.rowCount(model.index(0, 0)), 3);
        QVERIFY(!model.sample(model.index(0, 0)));
        QCOMPARE(model.rowCount(model.index(1, 0)), 0); // one reply stands in the row of its question
        QVERIFY(model.indexOf(m_ids[3]) == model.index(1, 0));
        QVERIFY(model.sample(model.indexOf(m_ids[3]))->sample.repair);
        QVERIFY(!model.indexOf({12345}).isValid());
        // Another scope begins anew; the same one keeps its rows.
        model.setView(*loadSamples(m_sample.file, {}));
        QCOMPARE(model.rowCount(), 3);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.setView(*loadSamples(m_sample.file, {}));
        QCOMPARE(reset.count(), 0);
        filter.setFound(std::unordered_set<base::SampleId>{m_ids[1]});
        QCOMPARE(filter.rowCount(), 1);
        QCOMPARE(filter.rowCount(filter.index(0, 0)), 1);
        filter.setFound(std::unordered_set<base::SampleId>{m_ids[3]});
        QCOMPARE(filter.rowCount(), 1);
        QCOMPARE(filter.index(0, 0).data(SamplesModel::IdRole).toLongLong(), m_ids[3].value);
        filter.setFound(std::nullopt);
        QCOMPARE(filter.rowCount(), 3);
        model.setView(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void questionsHaveTheirRepliesBelow()
    {
        openSample();
        // Newest question first: the repair.
        QCOMPARE(shown(0, -1, SamplesModel::Turn), QStringLiteral("repair of %1").arg(m_ids[0].value));
        QVERIFY(shown(0, -1, SamplesModel::Name).endsWith(QStringLiteral(", reply %1").arg(m_ids[3].value)));
        QCOMPARE(shown(0, -1, SamplesModel::Policy), QStringLiteral("endpoint: qwen3"));
        QCOMPARE(shown(1, -1, SamplesModel::Policy), QStringLiteral("endpoint: qwen3"));
        QCOMPARE(shown(1, -1, SamplesModel::Verdict), QStringLiteral("1 of 3 correct"));
        QCOMPARE(shown(1, -1, SamplesModel::Asked), QStringLiteral("3,600")); // a server reads it for each of three
        QCOMPARE(shown(1, -1, SamplesModel::Answered), QStringLiteral("900"));
        QCOMPARE(shown(1, -1, SamplesModel::Cost), QStringLiteral("0.75 USD"));
        QCOMPARE(shown(1, -1, SamplesModel::Reward), QStringLiteral("19.80"));
        QCOMPARE(tree().shownReplies(), 4);
        QCOMPARE(tree().model()->headerData(SamplesModel::Answered, Qt::Horizontal).toString(),
                 QStringLiteral("Reply tokens"));
        QVERIFY(tree().columnWidth(SamplesModel::Name) >= Theme::instance().unit(44));
        QVERIFY2(label("samplesSum").contains("4,400 prompt tokens, 1,200 reply tokens"),
                 qPrintable(label("samplesSum")));
        QVERIFY(label("samplesSum").contains("1 USD"));
    }

    void aReplyIsReadAndCompared()
    {
        openSample();
        tree().choose(m_ids[0]);
        SampleDetail* detail = m_page->detail();
        QTRY_VERIFY_WITH_TIMEOUT(detail->reply()->view()->toPlainText().contains("# wrong"), deadline_ms);
        QVERIFY(detail->prompt()->view()->toPlainText().contains("Make the diagonal product faster"));
        QVERIFY(!detail->prompt()->isOpen() && !detail->prompt()->view()->isVisible());
        QTest::mouseClick(detail->findChild<QWidget*>("samplePromptFold"), Qt::LeftButton);
        QVERIFY(detail->prompt()->view()->isVisible());
        QVERIFY2(label("sampleVerdict").contains("7 of 20 trials differ"), qPrintable(label("sampleVerdict")));

        auto* tabs = m_page->findChild<QTabBar*>("sampleTabs");
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center());
        auto* other = m_page->findChild<QComboBox*>("sampleOther");
        QCOMPARE(other->itemText(0), QStringLiteral("Best exemplar, #%1").arg(m_sample.best.value));
        QCOMPARE(other->itemText(other->count() - 1), QStringLiteral("Reference"));
        QTRY_COMPARE_WITH_TIMEOUT(detail->diff()->differenceCount(), 1, deadline_ms); // the line "# wrong"
        QCOMPARE(detail->diff()->diff().added, 1);

        tree().choose(m_ids[1]);
        QTRY_VERIFY_WITH_TIMEOUT(detail->diff()->right()->code().contains("no program"), deadline_ms);
        QVERIFY(label("sampleVerdict").contains("It has no block of code."));
        QVERIFY(m_page->findChild<QLabel*>("sampleVerdict")->toolTip().isEmpty());
    }

    void aLongReasonIsCutAtItsEnd()
    {
        openSample();
        tree().choose(m_ids[1]);
        optimize::SampleFacts facts = *tree().current();
        SampleDetail detail;
        detail.show(m_sample.file, facts);
        const int narrowest = detail.minimumSizeHint().width();
        QStringList lines{QStringLiteral("error: no such file"), QString(300, u'x')};
        while (lines.size() < 20)
            lines << QStringLiteral("line %1 of the log").arg(lines.size());
        facts.sample.unusable = lines.join(u'\n').toStdString();
        detail.show(m_sample.file, facts);
        QCOMPARE(detail.minimumSizeHint().width(), narrowest);
        detail.resize(900, 600);
        detail.setVisible(true);
        const auto* verdict = detail.findChild<QLabel*>("sampleVerdict");
        const int line = verdict->fontMetrics().lineSpacing();
        for (const bool larger : {false, true}) {
            if (larger)
                detail.setStyleSheet(QStringLiteral("#sampleVerdict { font-size: 20pt; }"));
            QCOMPARE(verdict->fontMetrics().lineSpacing() > line, larger);
            QTRY_COMPARE(verdict->text().count(u'\n'), 5);
            QLabel plain(verdict->text()); // as high as all six lines
            plain.setFont(verdict->font());
            QTRY_VERIFY(std::abs(verdict->height() - plain.sizeHint().height()) <= 1);
            const QStringList shown = verdict->text().split(u'\n');
            QVERIFY2(shown[0].endsWith(QStringLiteral("error: no such file")), qPrintable(shown[0]));
            QVERIFY(shown[1].startsWith(u'x') && shown[5].endsWith(u'…'));
            for (const QString& one : shown)
                QVERIFY2(verdict->fontMetrics().horizontalAdvance(one) <= verdict->width(), qPrintable(one));
            QVERIFY(verdict->toolTip().contains(lines.back()) && verdict->accessibleName() == verdict->toolTip());
            QVERIFY(verdict->alignment().testFlag(Qt::AlignTop) && verdict->alignment().testFlag(Qt::AlignLeft));
        }
    }

    void aNarrowTreeKeepsItsNamesAndScrolls()
    {
        openSample();
        const int least = Theme::instance().unit(44);
        const QScrollBar& bar = *tree().horizontalScrollBar();
        m_page->resize(720, 560); // what a window of 1024 x 700 leaves beside its list of tasks
        QTRY_VERIFY(tree().isColumnHidden(SamplesModel::Age) && bar.maximum() > 0);
        QCOMPARE(tree().columnWidth(SamplesModel::Name), least);
        m_page->resize(1600, 800);
        QTRY_VERIFY(!tree().isColumnHidden(SamplesModel::Age) && bar.maximum() == 0);
        QVERIFY(tree().columnWidth(SamplesModel::Name) > least);
        QCOMPARE(tree().header()->length(), tree().viewport()->width());
    }

    void wordsAreFoundInPromptsAndReplies()
    {
        openSample();
        m_page->find();
        auto* search = m_page->findChild<QLineEdit*>("samplesSearch");
        QTRY_VERIFY(search->hasFocus());
        QTest::keyClicks(search, "needles");
        QTRY_COMPARE_WITH_TIMEOUT(tree().shownReplies(), 1, deadline_ms);
        // The same reply may have been found by a part of the word, while the whole is still looked for.
        QTRY_COMPARE_WITH_TIMEOUT(label("samplesSum").section(' ', 0, 3), QStringLiteral("1 of 4 replies"),
                                  deadline_ms);
        QCOMPARE(shown(0, 0, SamplesModel::Name), QStringLiteral("Reply %1").arg(m_ids[1].value));
        search->selectAll();
        QTest::keyClicks(search, "diagonal product"); // of the prompt that three replies share
        QTRY_COMPARE_WITH_TIMEOUT(tree().shownReplies(), 3, deadline_ms);
        search->selectAll();
        QTest::keyClicks(search, "nowhere to be found");
        QTRY_COMPARE_WITH_TIMEOUT(tree().shownReplies(), 0, deadline_ms);
        search->clear();
        QTRY_COMPARE_WITH_TIMEOUT(tree().shownReplies(), 4, deadline_ms);
    }

    void aVariantIsSelectedByAClickAndComparedByEnter()
    {
        openSample();
        const QModelIndex parent = tree().model()->index(1, 0);
        const QModelIndex cell = tree().model()->index(0, SamplesModel::Variant, parent);
        QCOMPARE(cell.data().toString(), QStringLiteral("#%1").arg(m_sample.best.value));
        tree().scrollTo(cell);
        QTest::mouseClick(tree().viewport(), Qt::LeftButton, {}, tree().visualRect(cell).center());
        QVERIFY(m_selection.right() == m_sample.best);
        QCOMPARE(m_selection.page(), QStringLiteral("samples"));
        QTest::keyClick(&tree(), Qt::Key_Return);
        QCOMPARE(m_selection.page(), QStringLiteral("compare"));
    }

    void allTasksAndTheLedger()
    {
        openSample();
        m_page->findChild<QComboBox*>("samplesScope")->setCurrentIndex(1);
        QTRY_COMPARE_WITH_TIMEOUT(tree().model()->rowCount(), 3, deadline_ms);
        QVERIFY(!tree().isColumnHidden(SamplesModel::Task));
        QCOMPARE(shown(0, -1, SamplesModel::Verdict), QStringLiteral("not judged"));
        auto* tabs = m_page->findChild<QTabBar*>("samplesTabs");
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center());
        const QAbstractItemModel& policies = *m_page->findChild<QTableView*>("ledgerPolicies")->model();
        QCOMPARE(policies.rowCount(), 2);
        const QStringList wanted{"endpoint: qwen3", "2", "4", "2", "1 of 1", "4,400", "1,200", "1 USD", "19.80"};
        for (int column = 0; column < wanted.size(); ++column)
            QCOMPARE(policies.index(0, column).data().toString(), wanted[column]);
        auto* tasks = m_page->findChild<QTableView*>("ledgerTasks");
        QCOMPARE(tasks->model()->rowCount(), 2);
        tasks->setFocus();
        tasks->setCurrentIndex(tasks->model()->index(1, 0));
        QTest::keyClick(tasks, Qt::Key_Return);
        QVERIFY(m_selection.task() == m_sample.untried);
    }

    void aTaskWithoutRepliesPointsToTheOthers()
    {
        openSample();
        {
            auto project = store::Project::open(m_sample.file.toStdString());
            QVERIFY((*project)->putTask({{"2/41"}, "Untouched", "sample-suite", 2, "x", "hash-2-41"}).ok());
        }
        m_selection.selectTask({"2/41"});
        QTRY_VERIFY_WITH_TIMEOUT(m_page->isEmpty(), deadline_ms);
        QVERIFY(button("Show All Tasks"));
        QTest::mouseClick(button("Show All Tasks"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!m_page->isEmpty() && tree().model()->rowCount() == 3, deadline_ms);
    }

    void rowsAreCopiedWhole()
    {
        openSample();
        tree().clearSelection();
        tree().tools()->copyCsv();
        const QStringList lines = QApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 5); // the head and four replies; questions are headings
        QVERIFY2(lines[1].contains("endpoint: qwen3") && lines[1].contains("contrastive"), qPrintable(lines[1]));
    }
};

QTEST_MAIN(TestSamplesPage)
#include "tst_samplespage.moc"
