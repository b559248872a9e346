// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of attention over a paged cache, run on the host: against sums in double precision.
#include "tests/policy/cudaonhost.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#define BLOCK_TOKENS 16

namespace single {
#define HEADS 3
#define KEY_HEADS 3
#define SIZE 64
#define BRAIN 0
#define WARPS 16
#define attend attendSingle
#include "core/decoder/pagedattention.cu"
#undef HEADS
#undef KEY_HEADS
#undef SIZE
#undef BRAIN
#undef WARPS
#undef attend
} // namespace single

namespace brain {
#define HEADS 7
#define KEY_HEADS 2
#define SIZE 96
#define BRAIN 1
#define WARPS 4
#define attend attendBrain
#include "core/decoder/pagedattention.cu"
#undef HEADS
#undef KEY_HEADS
#undef SIZE
#undef BRAIN
#undef WARPS
#undef attend
} // namespace brain

namespace {

struct Shape {
    int heads, keyHeads, size, warps; ///< `heads` share a head of keys
};

float valueOf(float value)
{
    return value;
}
float valueOf(brain::Number value)
{
    return brain::read(value);
}

/// Texts of these lengths whose blocks lie anywhere in the cache. Returns the largest difference from sums in double
/// precision; NaN where the kernel gave one.
template<class Number, class Kernel, class Rounded>
double differenceOf(const Shape& shape, const std::vector<int>& lengths, Kernel kernel, Rounded rounded)
{
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    const int rows = int(lengths.size()), width = 16, blocks = rows * width;
    const auto drawn = [&](std::size_t count, float scale) {
        std::vector<Number> out(count);
        for (Number& one : out)
            one = rounded(normal(random) * scale);
        return out;
    };
    const auto keys = drawn(std::size_t(blocks) * BLOCK_TOKENS * shape.keyHeads * shape.size, 2);
    const auto values = drawn(keys.size(), 1);
    const auto query = drawn(std::size_t(rows) * shape.keyHeads * shape.heads * shape.size, 2);
    std::vector<int> tables(std::size_t(blocks), 0);
    for (int i = 0; i < blocks; ++i)
        tables[std::size_t(i)] = i;
    std::shuffle(tables.begin(), tables.end(), random);
    std::vector<long long> positions;
    for (const int length : lengths)
        positions.push_back(length - 1);
    std::vector<Number> out(query.size());
    const float scale = float(std::numbers::log2e / std::sqrt(double(shape.size)));
    host::run(
        [&] {
            kernel(query.data(), keys.data(), values.data(), tables.data(), positions.data(), width, scale, out.data());
        },
        unsigned(rows * shape.keyHeads), unsigned(shape.warps * 32), 1, 0);

    double worst = 0;
    for (int row = 0; row < rows; ++row)
        for (int head = 0; head < shape.keyHeads * shape.heads; ++head) {
            const std::size_t own = (std::size_t(row) * shape.keyHeads * shape.heads + head) * shape.size;
            const auto placeOf = [&](int token) {
                const int block = tables[std::size_t(row * width + token / BLOCK_TOKENS)];
                return ((std::size_t(block) * BLOCK_TOKENS + token % BLOCK_TOKENS) * shape.keyHeads +
                        head / shape.heads) *
                       shape.size;
            };
            std::vector<double> shares;
            double all = 0;
            for (int token = 0; token < lengths[std::size_t(row)]; ++token) {
                double dot = 0;
                for (int d = 0; d < shape.size; ++d)
                    dot += double(valueOf(query[own + d])) * valueOf(keys[placeOf(token) + d]);
                shares.push_back(std::exp(dot / std::sqrt(double(shape.size))));
                all += shares.back();
            }
            for (int d = 0; d < shape.size; ++d) {
                double expected = 0;
                for (int token = 0; token < int(shares.size()); ++token)
                    expected += shares[std::size_t(token)] / all * valueOf(values[placeOf(token) + d]);
                const double difference = std::abs(expected - valueOf(out[own + d]));
                worst = difference <= worst ? worst : difference; // a NaN stays
            }
        }
    return worst;
}

} // namespace

class TestPagedAttention : public QObject {
    Q_OBJECT
private slots:
    /// Lengths around what the warps of a block read in one round (64 tokens), one token, and many blocks.
    void inFloat32()
    {
        const double worst = differenceOf<float>({3, 3, 64, 16}, {1, 5, 63, 64, 65, 200, 256}, single::attendSingle,
                                                 single::rounded);
        QVERIFY2(worst < 1e-5, qPrintable(QString::number(worst)));
    }
    void inBfloat16WithThreeNumbersALane()
    {
        const double worst = differenceOf<brain::Number>({7, 2, 96, 4}, {1, 15, 16, 17, 130}, brain::attendBrain,
                                                         brain::rounded);
        QVERIFY2(worst < 0.02, qPrintable(QString::number(worst))); // results of up to 3, rounded to eight bits
        QVERIFY(worst > 1e-5);                                      // they are rounded
    }
};

QTEST_GUILESS_MAIN(TestPagedAttention)
#include "tst_pagedattention.moc"
