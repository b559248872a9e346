// SPDX-License-Identifier: GPL-3.0-or-later
// Each task's speed-up by one contender against that by another: variants, baselines, published results.
#include "core/charts/builders.h"

#include "core/base/statistics.h"
#include "core/store/storedversus.h"

#include <algorithm>

namespace cudal1::charts {

namespace {

struct Entry {
    base::Interval speedup;
    base::VariantId variant;
    std::string marks;
};
using Entries = std::map<base::TaskId, Entry>;

void keepBest(Entries& entries, const base::TaskId& task, const base::Interval& speedup, base::VariantId variant,
              const std::string& marks = {})
{
    if (!speedup.valid())
        return;
    const auto [at, isNew] = entries.try_emplace(task, Entry{speedup, variant, marks});
    if (!isNew && protocol::isBetter(speedup, marks, at->second.speedup, at->second.marks))
        at->second = {speedup, variant, marks};
}

/// What a contender has for each task on a device. Claims are of no device of ours.
Entries entriesOf(const Numbers& numbers, const ContenderId& id, const std::string& device)
{
    Entries entries;
    const auto part = id.substr(std::min(id.size(), id.find(':') + 1));
    if (id.starts_with("baseline:")) {
        for (const store::VariantRow& row : numbers.baselines) // in the order of adding: the newest text of a kind wins
            if (row.baseline == part && row.evaluation->deviceModel == device) {
                entries.erase(row.task);
                if (row.evaluation->verdict == protocol::Verdict::Correct)
                    keepBest(entries, row.task, row.evaluation->wall, row.id, row.evaluation->marks);
            }
    } else if (id.starts_with("claimed:")) {
        for (const store::ClaimRecord& claim : numbers.claims)
            if (claim.source == part)
                keepBest(entries, claim.task, {*claim.speedup, *claim.speedup, *claim.speedup}, claim.variant);
    } else {
        for (const store::ResultGroup& group : numbers.groups)
            if (group.deviceModel == device &&
                (id == "best" || (id.starts_with("found:") && contenderOf(group.origin) == part)))
                keepBest(entries, group.task, group.wall, group.best, group.marks);
    }
    return entries;
}

bool isClaim(const ContenderId& id)
{
    return id.starts_with("claimed:");
}

/// How many times as fast y is as x; invalid where that cannot be said. A claim is a number without a measurement.
base::Interval ratioOf(const Numbers& numbers, const Entry& y, const Entry& x, bool claimed)
{
    if (claimed)
        return base::ratioOf(y.speedup, x.speedup);
    const auto found = numbers.versus.find({y.variant, x.variant});
    return found == numbers.versus.end() ? base::Interval() : found->second;
}

QString contenderName(const std::vector<Option>& options, const ContenderId& id)
{
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&id](const Option& option) { return option.id == id; });
    return found == options.end() ? QString::fromStdString(id) : found->name;
}

/// Makes the chart of two contenders on a device.
class Scatter {
public:
    Scatter(const Numbers& numbers, const Choices& contenders, const std::string& device)
        : m_numbers(numbers), m_device(QString::fromStdString(device)),
          m_claimed(isClaim(contenders.x) || isClaim(contenders.y)),
          m_bothClaimed(isClaim(contenders.x) && isClaim(contenders.y)), m_xs(entriesOf(numbers, contenders.x, device)),
          m_ys(entriesOf(numbers, contenders.y, device))
    {
        const std::vector<Option> options = charts::contenders(numbers);
        m_xName = contenderName(options, contenders.x);
        m_yName = contenderName(options, contenders.y);
    }

    Chart chart()
    {
        m_chart.kind = "baselines";
        m_chart.title = QStringLiteral("%1 against %2").arg(m_yName, m_xName);
        m_chart.table.columns = {
            {QStringLiteral("task"), false},    {QStringLiteral("level")},           {m_xName},
            {m_xName + QStringLiteral(" low")}, {m_xName + QStringLiteral(" high")}, {m_yName},
            {m_yName + QStringLiteral(" low")}, {m_yName + QStringLiteral(" high")}, {QStringLiteral("ratio")},
            {QStringLiteral("verdict"), false}};
        for (const store::TaskRow& row : m_numbers.tasks)
            addTask(row);
        if (m_levels.empty()) {
            m_chart.empty = QStringLiteral("No task has both%1.%2").arg(onDevice(), leftOutText());
            return std::move(m_chart);
        }
        m_chart.note = noteText();
        fitSpeedups(m_chart.x, m_least, m_most);
        m_chart.y = m_chart.x;
        m_chart.x.title = QStringLiteral("%1, speed-up over eager").arg(m_xName);
        m_chart.y.title = m_yName;
        m_chart.rules = {{1, true, {}, Rule::Look::Faint, 0}, {1, false, {}, Rule::Look::Faint, 0}};
        m_chart.diagonal = true;
        for (auto& [order, series] : m_levels)
            addSeries(std::move(series));
        if (!m_hollow.empty())
            addHollowEntry();
        return std::move(m_chart);
    }

private:
    void addTask(const store::TaskRow& row)
    {
        const auto atX = m_xs.find(row.id), atY = m_ys.find(row.id);
        if (atX == m_xs.end() || atY == m_ys.end()) {
            m_without += (atX == m_xs.end()) != (atY == m_ys.end());
            return;
        }
        const base::Interval &bx = atX->second.speedup, &by = atY->second.speedup;
        const base::Interval ratio = ratioOf(m_numbers, atY->second, atX->second, m_claimed);
        if (!ratio.valid()) {
            ++m_apart;
            return;
        }
        const base::Comparison comparison = base::compare(ratio);
        m_above += comparison == base::Comparison::Faster;
        m_below += comparison == base::Comparison::Slower;
        const bool questioned = protocol::isQuestioned(atY->second.marks);
        const bool otherPrecision = !questioned && protocol::isOfOtherPrecision(atY->second.marks);
        m_questioned += comparison == base::Comparison::Faster && questioned;
        m_otherPrecision += comparison == base::Comparison::Faster && otherPrecision;
        m_ratios.push_back(ratio.estimate);
        m_least = std::min({m_least, bx.low, by.low});
        m_most = std::max({m_most, bx.high, by.high});
        const QString word = QString::fromUtf8(protocol::toString(comparison).data(),
                                               qsizetype(protocol::toString(comparison).size()));
        Mark mark;
        mark.key = "task:" + row.id.value;
        mark.chip = QString::fromStdString(row.id.value);
        mark.tasks = {row.id};
        mark.variant = atY->second.variant ? atY->second.variant : atX->second.variant;
        mark.hover = QStringLiteral("%1\n%2: %3  %4\n%5: %6  %7\nratio %8  %9")
                         .arg(taskName(row), m_yName, markedText(atY->second), intervalText(by), m_xName,
                              markedText(atX->second), bx.low < bx.high ? intervalText(bx) : QString(),
                              speedupText(ratio), word);
        Point point;
        point.x = bx.estimate;
        point.y = by.estimate;
        point.low = by.low;
        point.high = by.high;
        point.hollow = questioned || otherPrecision;
        if (point.hollow)
            m_hollow.push_back(row.id);
        point.mark = m_chart.add(std::move(mark));
        seriesOf(row.level).points.push_back(point);
        const auto level = row.level > 0 ? ChartCell(double(row.level)) : ChartCell();
        m_chart.table.rows.push_back(
            {taskName(row), level, bx.estimate, bx.low, bx.high, by.estimate, by.low, by.high, ratio.estimate, word});
    }

    static QString markedText(const Entry& entry)
    {
        const std::string word = protocol::marksWord(entry.marks);
        return speedupText(entry.speedup) + (word.empty() ? QString() : QStringLiteral(" (%1)").arg(word.c_str()));
    }

    /// Of those above the line.
    QString markedAboveText() const
    {
        QStringList parts;
        if (m_otherPrecision > 0)
            parts << QStringLiteral("%1 at another precision").arg(m_otherPrecision);
        if (m_questioned > 0)
            parts << QStringLiteral("%1 questioned").arg(m_questioned);
        return parts.isEmpty() ? QString() : QStringLiteral(" (of them %1)").arg(parts.join(QStringLiteral(", ")));
    }

    Series& seriesOf(int level)
    {
        Series& series = m_levels[orderOf(level)];
        series.name = levelName(level);
        series.ink = levelInk(level);
        series.pattern = level == 0 ? 3 : std::min(level, 3) - 1;
        return series;
    }

    void addSeries(Series series)
    {
        Mark mark;
        mark.key = "series:" + series.name.toStdString();
        mark.chip = series.name;
        for (const Point& point : series.points)
            mark.tasks.push_back(m_chart.marks[std::size_t(point.mark)].tasks.front());
        mark.hover = QStringLiteral("%1: %2").arg(series.name, counted(qsizetype(mark.tasks.size()), "task", "tasks"));
        series.mark = m_chart.add(std::move(mark));
        m_chart.series.push_back(std::move(series));
    }

    /// Says in the legend what outlines mean. The points themselves are in the series of their levels.
    void addHollowEntry()
    {
        Series series;
        series.name = QStringLiteral("other precision or questioned");
        series.ink = Ink::Muted;
        series.hollow = true;
        Mark mark;
        mark.key = "series:hollow";
        mark.chip = series.name;
        mark.hover = QStringLiteral(
                         "%1 at another precision than the reference's, or with a label that would put a gain in "
                         "question: %2")
                         .arg(m_yName, counted(qsizetype(m_hollow.size()), "task", "tasks"));
        mark.tasks = std::move(m_hollow);
        series.mark = m_chart.add(std::move(mark));
        m_chart.series.push_back(std::move(series));
    }

    /// Claims are of no device of ours; two of them need none at all.
    QString onDevice() const { return m_bothClaimed ? QString() : QStringLiteral(" on ") + m_device; }

    QString leftOutText() const
    {
        QString text;
        if (m_without > 0)
            text = QStringLiteral(" %1 of one side only left out.").arg(counted(m_without, "task", "tasks"));
        if (m_apart > 0)
            text += QStringLiteral(" %1 measured at two precisions or for two texts left out.")
                        .arg(counted(m_apart, "task", "tasks"));
        return text;
    }

    QString noteText() const
    {
        const QString text =
            QStringLiteral(
                "%1%2: %3 above the line%4, %5 below, %6 too close to tell; geometric mean of the ratio %7.%8")
                .arg(counted(qsizetype(m_ratios.size()), "task", "tasks"), onDevice())
                .arg(m_above)
                .arg(markedAboveText())
                .arg(m_below)
                .arg(int(m_ratios.size()) - m_above - m_below)
                .arg(speedupText(base::geometricMean(m_ratios)), leftOutText());
        return m_claimed ? QStringLiteral("Claims are by others' clock on their device. ") + text
                         : text + QStringLiteral(" Ratios are on an equally fast host.");
    }

    const Numbers& m_numbers;
    const QString m_device;
    const bool m_claimed;     ///< one of the two is a claim
    const bool m_bothClaimed; ///< no device of ours is behind a number
    const Entries m_xs, m_ys;
    QString m_xName, m_yName;
    Chart m_chart;
    std::map<int, Series> m_levels; ///< by orderOf()
    double m_least = 1, m_most = 1;
    int m_above = 0, m_below = 0;
    int m_otherPrecision = 0, m_questioned = 0; ///< of those above
    int m_without = 0, m_apart = 0;             ///< tasks that are left out
    std::vector<double> m_ratios;
    std::vector<base::TaskId> m_hollow; ///< tasks whose points are outlines
};

} // namespace

void completeScatter(const Numbers& numbers, Choices& choices)
{
    std::vector<Option> options = contenders(numbers);
    // What was found by the only origin is the best variant itself: a line that says nothing. Who asks for it gets it.
    const auto isFound = [](const Option& option) { return option.id.starts_with("found:"); };
    if (std::count_if(options.begin(), options.end(), isFound) == 1)
        std::erase_if(options, isFound);
    // Eager is the reference itself, and says little; it is the last to be chosen.
    const auto complete = [&options](ContenderId& id, const ContenderId& other) {
        for (const bool eager : {false, true})
            for (const Option& option : options)
                if (id.empty() && option.id != other && (eager || option.id != "baseline:eager"))
                    id = option.id;
    };
    complete(choices.y, choices.x);
    complete(choices.x, choices.y);
}

base::Status readVersus(const store::Project& project, const Choices& choices, Numbers& numbers)
{
    Choices complete = choices;
    completeScatter(numbers, complete);
    if (isClaim(complete.x) || isClaim(complete.y))
        return {};
    const std::string device = deviceOf(numbers, choices);
    const Entries xs = entriesOf(numbers, complete.x, device);
    for (const auto& [task, y] : entriesOf(numbers, complete.y, device)) {
        const auto x = xs.find(task);
        if (x == xs.end())
            continue;
        const auto versus = store::versus(project, y.variant, x->second.variant);
        if (versus)
            numbers.versus[{y.variant, x->second.variant}] = versus->wall;
        else if (versus.error().code != base::ErrorCode::InvalidArgument)
            return versus.error();
    }
    return {};
}

Chart scatter(const Numbers& numbers, const Choices& choices)
{
    Choices complete = choices;
    completeScatter(numbers, complete);
    if (complete.x.empty() || complete.y.empty()) {
        Chart chart;
        chart.kind = "baselines";
        chart.title = QStringLiteral("Variants against baselines");
        chart.empty = QStringLiteral(
            "There is nothing to compare with yet. Run > Measure Baselines, or `cudal1 baselines`, measures the "
            "framework's own switches; File > Import from a Project… takes in what was measured elsewhere");
        return chart;
    }
    return Scatter(numbers, complete, deviceOf(numbers, choices)).chart();
}

} // namespace cudal1::charts
