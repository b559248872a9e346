// SPDX-License-Identifier: GPL-3.0-or-later
// Columns, bars and widths of text.
#include "app/cli/progresstext.h"
#include "app/cli/terminal.h"
#include "app/cli/texttable.h"

#include <QTemporaryFile>
#include <QTest>

#include <cstdio>
#include <thread>
#include <unistd.h>

using namespace cudal1::cli;

namespace {

/// What is written to the standard error while `work` runs, which is no terminal then.
template<typename Work> static QByteArray writtenBy(const Work& work)
{
    QTemporaryFile file;
    if (!file.open())
        return "no temporary file";
    std::fflush(stderr);
    const int kept = ::dup(STDERR_FILENO);
    ::dup2(file.handle(), STDERR_FILENO);
    work();
    std::fflush(stderr);
    ::dup2(kept, STDERR_FILENO);
    ::close(kept);
    file.seek(0);
    return file.readAll();
}

} // namespace

class TestTable : public QObject {
    Q_OBJECT
private slots:
    void columnsLineUp()
    {
        TextTable table({{"id", TextTable::Align::Right}, {"name"}, {"empty"}, {"x"}});
        table.add({"1", "3.86×", "", "a"});
        table.add({"20", "\033[32mlong\033[0m", "", ""});
        QCOMPARE(table.text(), std::string("id  name   x\n 1  3.86×  a\n20  \033[32mlong\033[0m"));
    }

    void tablesFitTheTerminal()
    {
        TextTable table({{"task"}, {"name"}, {"by events", TextTable::Align::Right}});
        table.add({"1/1", "Square matrix multiplication", "1.5"});
        // Titles break first, then the widest text is cut.
        QCOMPARE(table.text(42), "task  name" + std::string(30, ' ') + "by\n" + std::string(36, ' ') +
                                     "events\n1/1   Square matrix multiplication     1.5");
        for (const int width : {24, 30, 36}) {
            const QString text = QString::fromStdString(table.text(width));
            for (const QString& line : text.split(u'\n'))
                QVERIFY2(line.size() <= width, qPrintable(text));
            QVERIFY(text.contains("1/1") && text.contains("1.5") && text.contains(QChar(0x2026)));
        }
        QCOMPARE(table.text(200), table.text());
        // Bars go and names are cut before anything that counts.
        TextTable rows(
            {TextTable::whole("speed-up"), {"", TextTable::Align::Left, TextTable::Fit::LeaveOut}, {"name"}});
        rows.add({"37.6× (37.1–37.9), precision", "██████████", "diagonal product"});
        QCOMPARE(rows.text(40), std::string("speed-up                      name\n"
                                            "37.6× (37.1–37.9), precision  diagonal …"));
    }

    void widthsAreOfCharacters()
    {
        QCOMPARE(displayWidth("3.86×–…"), 7);
        QCOMPARE(displayWidth("\033[1mab\033[0m"), 2);
        QCOMPARE(elided("3.86× fast", 6), std::string("3.86×…"));
        QCOMPARE(elided("short", 5), std::string("short"));
        QCOMPARE(elided("\033[1mlonger\033[0m", 4), std::string("\033[1mlon…\033[0m"));
    }

    void progressIsALineNowAndThenWhereThereIsNoTerminal()
    {
        using std::chrono::seconds;
        const auto progress = [](bool quiet, seconds untilFirstLine) {
            return writtenBy([&] {
                Terminal terminal(false, quiet, Color::Never, untilFirstLine);
                terminal.live("1 of 3");
                terminal.live("2 of 3");
            });
        };
        QCOMPARE(progress(false, seconds(0)), QByteArray("1 of 3\n"));
        QCOMPARE(progress(false, seconds(10)), QByteArray());
        QCOMPARE(progress(true, seconds(0)), QByteArray());
        // What was said once and goes on is said when a line is due.
        QCOMPARE(writtenBy([&] {
                     Terminal terminal(false, false, Color::Never, seconds(1));
                     terminal.live("waiting");
                     std::this_thread::sleep_for(seconds(1));
                     terminal.remind();
                     terminal.remind();
                     terminal.clearLive();
                 }),
                 QByteArray("waiting\n"));
    }

    void barsShowWhatIsThere()
    {
        QCOMPARE(bar(0.5, 4), std::string("██  "));
        QCOMPARE(bar(0.0, 2), std::string("  "));
        QCOMPARE(bar(0.001, 2), std::string("▏ "));
        QCOMPARE(bar(7, 2), std::string("██"));
        QCOMPARE(speedupBar(10, 100, 4), std::string("██  ")); // half way on a logarithmic axis
        QCOMPARE(speedupBar(0.9, 100, 4), std::string());
    }

    void progressSaysWhatIsAGuess()
    {
        struct {
            int done = 0, planned = 0;
            double fraction = 0, secondsLeft = 90;
            bool guessed = true;
            std::string text = "starting the evaluator";
        } progress;
        QCOMPARE(progressText(progress), bar(0, 12) + " about 1 min 30 s left · starting the evaluator");
        progress.guessed = false;
        progress.done = 1;
        progress.planned = 3;
        QCOMPARE(progressText(progress, " tasks"),
                 bar(0, 12) + " 1 of 3 tasks · 1 min 30 s left · starting the evaluator");
        progress.secondsLeft = -1;
        QVERIFY(progressText(progress).find("left") == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestTable)
#include "tst_table.moc"
