// SPDX-License-Identifier: GPL-3.0-or-later
// The shortest edit script between two sequences of symbols: Myers' algorithm, divide and conquer.
#include "core/base/diff.h"

#include <algorithm>

namespace cudal1::base {

namespace {

using Symbols = std::span<const std::uint32_t>;

class Myers {
public:
    Myers(Symbols a, Symbols b)
        : m_a(a), m_b(b), m_origin(int(b.size()) + 1), m_forward(a.size() + b.size() + 3), m_backward(m_forward.size()),
          changedA(a.size()), changedB(b.size())
    {
        solve(0, int(a.size()), 0, int(b.size()));
    }

private:
    struct Point {
        int x, y;
    };

    void solve(int a0, int a1, int b0, int b1)
    {
        while (a0 < a1 && b0 < b1 && m_a[a0] == m_b[b0])
            ++a0, ++b0;
        while (a0 < a1 && b0 < b1 && m_a[a1 - 1] == m_b[b1 - 1])
            --a1, --b1;
        if (a0 == a1 || b0 == b1) {
            std::fill(changedA.begin() + a0, changedA.begin() + a1, true);
            std::fill(changedB.begin() + b0, changedB.begin() + b1, true);
            return;
        }
        const Point split = middle(a0, a1, b0, b1);
        solve(a0, split.x, b0, split.y);
        solve(split.x, a1, split.y, b1);
    }

    // The furthest x on diagonal k = x - y after one more edit, or -1 where the diagonal cannot be reached inside n by
    // m.
    static int step(const std::vector<int>& reach, int origin, int k, int n, int m)
    {
        int x = -1;
        if (const int down = reach[origin + k + 1]; down >= 0 && down - k <= m)
            x = down;
        if (const int right = reach[origin + k - 1]; right >= 0 && right + 1 <= n)
            x = std::max(x, right + 1);
        return x;
    }

    // The outermost diagonal of round d inside a side of length `limit`: every second one is visited.
    static int within(int d, int limit) { return d <= limit ? d : limit - (d - limit) % 2; }

    // A point on a shortest path, found where searches from both ends meet. Both sides are non-empty and differ at both
    // ends, so at least two edits are needed and the point is neither corner.
    Point middle(int a0, int a1, int b0, int b1)
    {
        const int n = a1 - a0, m = b1 - b0, delta = n - m;
        m_forward[m_origin] = m_backward[m_origin] = 0;
        for (int d = 0;; ++d) {
            const int lowest = -within(d, m), highest = within(d, n);
            if (d > 0)
                spread(m_forward, d, n, m);
            for (int k = lowest; k <= highest; k += 2) {
                int x = d == 0 ? 0 : step(m_forward, m_origin, k, n, m);
                if (x < 0) {
                    m_forward[m_origin + k] = -1;
                    continue;
                }
                while (x < n && x - k < m && m_a[a0 + x] == m_b[b0 + x - k])
                    ++x;
                m_forward[m_origin + k] = x;
                const int opposite = delta - k;
                if (delta % 2 != 0 && std::abs(opposite) < d && meets(m_backward, opposite, n - x))
                    return {a0 + x, b0 + x - k};
            }
            if (d > 0)
                spread(m_backward, d, n, m);
            for (int k = lowest; k <= highest; k += 2) {
                int x = d == 0 ? 0 : step(m_backward, m_origin, k, n, m);
                if (x < 0) {
                    m_backward[m_origin + k] = -1;
                    continue;
                }
                while (x < n && x - k < m && m_a[a1 - 1 - x] == m_b[b1 - 1 - x + k])
                    ++x;
                m_backward[m_origin + k] = x;
                const int opposite = delta - k;
                if (delta % 2 == 0 && std::abs(opposite) <= d && meets(m_forward, opposite, n - x))
                    return {a1 - x, b1 - x + k};
            }
        }
    }

    // Diagonals that round d reads for the first time hold values of an earlier search.
    void spread(std::vector<int>& reach, int d, int n, int m) const
    {
        if (-d - 1 >= -m - 1)
            reach[m_origin - d - 1] = -1;
        if (-d >= -m - 1)
            reach[m_origin - d] = -1;
        if (d + 1 <= n + 1)
            reach[m_origin + d + 1] = -1;
        if (d <= n + 1)
            reach[m_origin + d] = -1;
    }

    bool meets(const std::vector<int>& reach, int k, int x) const
    {
        const int at = m_origin + k;
        return at >= 0 && at < int(reach.size()) && reach[at] >= 0 && reach[at] >= x;
    }

    Symbols m_a, m_b;
    int m_origin;
    std::vector<int> m_forward, m_backward;

public:
    std::vector<bool> changedA, changedB;
};

// Symbols that the other side has, with their places. The others can match nothing, and leaving them out keeps two
// texts with little in common from costing the square of their length.
void keepShared(Symbols of, Symbols other, std::vector<std::uint32_t>& symbols, std::vector<int>& places)
{
    std::vector<std::uint32_t> sorted(other.begin(), other.end());
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < of.size(); ++i) {
        if (std::binary_search(sorted.begin(), sorted.end(), of[i])) {
            symbols.push_back(of[i]);
            places.push_back(int(i));
        }
    }
}

} // namespace

std::vector<Hunk> diffSequences(Symbols a, Symbols b)
{
    std::vector<std::uint32_t> sharedA, sharedB;
    std::vector<int> placesA, placesB;
    keepShared(a, b, sharedA, placesA);
    keepShared(b, a, sharedB, placesB);
    const Myers myers(sharedA, sharedB);

    std::vector<bool> changedA(a.size(), true), changedB(b.size(), true);
    for (std::size_t i = 0; i < placesA.size(); ++i)
        changedA[placesA[i]] = myers.changedA[i];
    for (std::size_t i = 0; i < placesB.size(); ++i)
        changedB[placesB[i]] = myers.changedB[i];

    std::vector<Hunk> hunks;
    const int n = int(a.size()), m = int(b.size());
    for (int i = 0, j = 0; i < n || j < m;) {
        if (i < n && j < m && !changedA[i] && !changedB[j]) {
            ++i, ++j;
            continue;
        }
        Hunk hunk{i, 0, j, 0};
        while (i < n && changedA[i])
            ++i, ++hunk.aCount;
        while (j < m && changedB[j])
            ++j, ++hunk.bCount;
        hunks.push_back(hunk);
    }
    return hunks;
}

} // namespace cudal1::base
