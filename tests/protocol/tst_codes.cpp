// SPDX-License-Identifier: GPL-3.0-or-later
// The table of codes, held against the sources that give codes, the lists that stand outside of C++ or of its reach,
// and the page of docs.
#include "core/protocol/codes.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <array>
#include <functional>

using namespace cudal1::protocol;

namespace {

using Words = std::set<QString>;

QString textOf(const QString& path)
{
    QFile file(QStringLiteral(CUDAL1_SOURCE_DIR "/") + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString word(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

/// What stands in quotes and could be a code.
Words literalsIn(const QString& text)
{
    static const QRegularExpression literal(QStringLiteral("\"([a-z_]+)\""));
    Words out;
    for (auto found = literal.globalMatch(text); found.hasNext();)
        out.insert(found.next().captured(1));
    return out;
}

/// From `begin` to the comma or bracket that ends an argument.
QString argumentAt(const QString& text, qsizetype begin)
{
    int depth = 0;
    for (qsizetype at = begin; at < text.size(); ++at) {
        const QChar c = text[at];
        if (depth == 0 && (c == u',' || c == u')' || c == u'}' || c == u';'))
            return text.mid(begin, at - begin);
        depth += (c == u'(' || c == u'{') - (c == u')' || c == u'}');
    }
    return {};
}

/// A function's text, from its name to the brace at the begin of a line.
QString functionIn(const QString& text, const QString& head)
{
    const qsizetype begin = text.indexOf(head);
    return begin < 0 ? QString() : text.mid(begin, text.indexOf(QStringLiteral("\n}\n"), begin) - begin);
}

/// Codes that a text gives to reasons and labels, by the ways in which that is done.
Words given(const QString& text)
{
    static const QRegularExpression ways(QStringLiteral(
        R"(\bRefusal\(|\blabel\(|\brefused\(|\b(?:labels|reasons)\.(?:push|emplace)_back\(\{?|\breasons = \{\{|\bconclude\([^{;]*\{|\bReferenceLost\{\{|\bReason\{|\{"code", )"));
    Words out;
    for (auto found = ways.globalMatch(text); found.hasNext();)
        out.merge(literalsIn(argumentAt(text, found.next().capturedEnd())));
    static const QRegularExpression returned(QStringLiteral(R"(return \{?)"));
    for (const char* head : {"\nprotocol::Reason reasonOf(", "\nstd::string kindOf("}) {
        const QString body = functionIn(text, QLatin1String(head));
        for (auto found = returned.globalMatch(body); found.hasNext();)
            out.merge(literalsIn(argumentAt(body, found.next().capturedEnd())));
    }
    out.erase(QStringLiteral("memory")); // of kindOf(), for which the loop of requests answers out_of_memory
    return out;
}

Words givenIn(const char* folder)
{
    Words out;
    QDirIterator files(QStringLiteral(CUDAL1_SOURCE_DIR "/") + QLatin1String(folder), {"*.cpp", "*.h"}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext())
        if (QFile file(files.next()); file.open(QIODevice::ReadOnly))
            out.merge(given(QString::fromUtf8(file.readAll())));
    return out;
}

Words codesWith(const std::function<bool(const Code&)>& test)
{
    Words out;
    for (const Code& code : codes())
        if (test(code))
            out.insert(word(code.code));
    return out;
}

QString sorted(const Words& words)
{
    return QStringList(words.begin(), words.end()).join(u' ');
}

bool isLabel(const Code& code)
{
    return code.kind == Code::Kind::Label;
}

/// A row of docs/measuring/codes.md.
QString rowOf(const Code& code)
{
    constexpr std::array weights{"note", "warning", "doubt", "failure"},
        things{"program", "task", "machine", "measuring"};
    const QString name = QStringLiteral("| `%1` |").arg(word(code.code)),
                  meaning = QStringLiteral(" %1 |").arg(word(code.meaning));
    if (!isLabel(code))
        return name + QStringLiteral(" `%1` |").arg(word(toString(*code.verdict))) + meaning;
    return name +
           QStringLiteral(" %1 | %2 | %3 |")
               .arg(QLatin1String(weights[std::size_t(code.severity)]), QLatin1String(things[std::size_t(code.about)]),
                    QLatin1String(code.secondLook ? "yes" : "")) +
           meaning;
}

} // namespace

class TestCodes : public QObject {
    Q_OBJECT
private slots:
    void whatCanBeGivenStandsInTheTable()
    {
        Words all = givenIn("core/judge");
        all.merge(givenIn("core/optimize"));
        QCOMPARE(sorted(all), sorted(codesWith([](const Code&) { return true; })));
    }

    void theWaysAreFound()
    {
        QCOMPARE(sorted(given(QStringLiteral(R"(throw Refusal(x > 0 ? "one" : "two", "no_code");)"))),
                 QStringLiteral("one two"));
        QCOMPARE(sorted(given(QStringLiteral(R"(throw Refused({{"code", "three"}, {"text", "no_code"}});)"))),
                 QStringLiteral("three"));
        QCOMPARE(sorted(given(QStringLiteral(R"(conclude(f("x") ? A : B, {"four", "no_code", g()});)"))),
                 QStringLiteral("four"));
        QCOMPARE(sorted(given(QStringLiteral(R"(out.labels.push_back({"five", "no_code"});)"))),
                 QStringLiteral("five"));
        QCOMPARE(
            sorted(given(QStringLiteral(
                "\nprotocol::Reason reasonOf(int x)\n{\n    return {x ? \"six\" : \"seven\", \"no_code\"};\n}\n"))),
            QStringLiteral("seven six"));
    }

    void rowsAreWhole()
    {
        for (const Code& code : codes()) {
            QCOMPARE(findCode(code.code), &code); // none stands there twice
            QVERIFY2(code.meaning.size() > 20 && code.meaning.ends_with('.'), code.code.data());
            QCOMPARE(code.severity == Severity::Failure, !isLabel(code));
            QVERIFY(isLabel(code) || (code.verdict && *code.verdict != Verdict::Correct && !code.secondLook));
            QCOMPARE(meaningOf(code.code), std::string(code.meaning));
        }
        QVERIFY(!findCode("") && !findCode("not_a_code"));
        QVERIFY(meaningOf("not_a_code").empty());
    }

    /// The judge decides by lists of its own: what only shows codes must not be able to change a verdict.
    void theJudgeDecidesTheSame()
    {
        const QString evaluate = textOf(QStringLiteral("core/judge/supervisor/evaluate.cpp")),
                      judging = textOf(QStringLiteral("core/judge/supervisor/judging.cpp"));
        QCOMPARE(sorted(literalsIn(functionIn(evaluate, QStringLiteral("bool deservesSecondLook(")))),
                 sorted(codesWith([](const Code& code) { return code.secondLook; })));
        QCOMPARE(sorted(literalsIn(functionIn(judging, QStringLiteral("bool saysIncorrect(")))),
                 sorted(codesWith([](const Code& code) { return code.verdict == Verdict::Incorrect; })));
        QCOMPARE(sorted(literalsIn(functionIn(judging, QStringLiteral("Verdict Judging::verdictOf(")))),
                 sorted(codesWith([](const Code& code) {
                     return !isLabel(code) &&
                            (code.verdict == Verdict::Exploit || code.verdict == Verdict::OutOfMemory);
                 })));
    }

    void theCorpusRulesTheSame()
    {
        const QString text = textOf(QStringLiteral("tests/judge/corpus.py"));
        const qsizetype begin = text.indexOf(QStringLiteral("innocent = ("));
        QVERIFY(begin > 0);
        QCOMPARE(sorted(literalsIn(text.mid(begin, text.indexOf(u')', begin) - begin))),
                 sorted(codesWith([](const Code& code) { return isLabel(code) && code.about != About::Program; })));
    }

    void thePageSaysTheSame()
    {
        QStringList expected, found;
        for (const Code& code : codes())
            expected << rowOf(code);
        for (const QString& line : textOf(QStringLiteral("docs/measuring/codes.md")).split(u'\n'))
            if (line.startsWith(QStringLiteral("| `")))
                found << line;
        QCOMPARE(found.join(u'\n'), expected.join(u'\n'));
    }

    void legends()
    {
        QCOMPARE(legendText({}), std::string());
        QCOMPARE(legendText({"not_a_code", ""}), std::string());
        QCOMPARE(
            legendText({"signal", "hang", "a_much_longer_one_that_is_not_known"}),
            std::string(
                "hang    A step did not end within its limit of time.\nsignal  The process was ended by a signal."));
    }
};

QTEST_APPLESS_MAIN(TestCodes)
#include "tst_codes.moc"
