// SPDX-License-Identifier: GPL-3.0-or-later
// The family for half types changes one element, so that no part of the rows stands for the rest.
#undef slots // a name in Python's headers, and a keyword of Qt
#include "core/judge/wire/oracleerrors.h"
#ifndef Q_MOC_RUN // which would read all of torch
#include "core/judge/witness/inputfamily.h"
#endif

#include <QtTest>

#include <algorithm>
#include <array>

using namespace cudal1::judge;

namespace {

InputTraits traitsFor(const at::Tensor& input, bool coarse)
{
    InputTraits traits = traitsOf(input);
    traits.coarse = coarse;
    return traits;
}

OracleErrors errors(double reference, double candidate)
{
    return {reference, candidate, true, {}};
}

} // namespace

class TestInputFamily : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneElementIsSpiked()
    {
        const at::Tensor input = at::rand({8, 1024}).add_(0.01);
        const at::Tensor spiked = applyFamily("spiked", input, traitsFor(input, true));
        QCOMPARE(spiked.ne(input).sum().item<std::int64_t>(), 1);
        QVERIFY(spiked.sum(1).gt(input.sum(1).mul(1.1)).any().item<bool>()); // more than any tolerance
    }
    void signsStay()
    {
        const at::Tensor input = at::randn({64, 256});
        const at::Tensor spiked = applyFamily("spiked", input, traitsFor(input, true));
        QVERIFY(spiked.lt(0).eq(input.lt(0)).all().item<bool>());
    }
    void halfHasRoomForIt()
    {
        const at::Tensor input = at::rand({2, 1 << 20}).to(at::kHalf);
        QVERIFY(applyFamily("spiked", input, traitsFor(input, true)).isfinite().all().item<bool>());
    }
    void zerosOfAPatternStay()
    {
        const at::Tensor input = at::rand({32, 32}).add_(0.1).tril();
        const at::Tensor spiked = applyFamily("spiked", input, traitsFor(input, true));
        QVERIFY(at::equal(spiked, spiked.tril()));
    }
    void whatIsAlwaysTheSameIsFlipped()
    {
        const at::Tensor state = at::zeros({64, 64}), mask = at::ones({64}, at::kBool), number = at::full({}, 2.0);
        for (const at::Tensor& input : {state, mask, number}) {
            const InputTraits traits = traitsOf(input);
            QVERIFY(traits.constant && familyApplies("flipped", std::array{traits}));
            const at::Tensor changed = applyFamily("flipped", input, traits).ne(input);
            const auto count = changed.sum().item<std::int64_t>();
            QVERIFY(count >= 1 && (input.numel() == 1 || count < input.numel() / 2));
        }
        const at::Tensor labels = at::tensor({0, 0, 0}), drawn = at::randn({8});
        QVERIFY(!traitsOf(labels).constant && !traitsOf(drawn).constant);
        QVERIFY(at::equal(applyFamily("flipped", drawn, traitsOf(drawn)), drawn));
    }
    void whatEachDrawGivesIsFlipped()
    {
        const at::Tensor mask = at::ones({64, 64}, at::kBool).tril(),
                         added = at::zeros({64, 64}).masked_fill_(mask, -1e9);
        for (const at::Tensor& input : {mask, added}) {
            InputTraits traits = traitsOf(input);
            QVERIFY(canRepeat(input, traits) && !familyApplies("flipped", std::array{traits}));
            traits.repeats = true;
            QVERIFY(familyApplies("flipped", std::array{traits}));
            std::int64_t least = input.numel(), most = 0;
            for (int draw = 0; draw < 64; ++draw) {
                const at::Tensor flipped = applyFamily("flipped", input, traits);
                const auto count = flipped.ne(input).sum().item<std::int64_t>();
                least = std::min(least, count);
                most = std::max(most, count);
                QVERIFY(flipped.eq(input[0][0]).logical_or(flipped.eq(input[0][1])).all().item<bool>());
            }
            QVERIFY(most > 64 && most < 512); // a tenth has the value of another element, half of them another one
            QVERIFY2(least < 16, "who looks at one element in sixteen sees each time that some are others");
        }
        const at::Tensor places = at::arange(64).view({8, 8});
        QVERIFY(!canRepeat(places, traitsOf(places)));
    }
    void whatEachDrawGivesIsRedrawn()
    {
        const at::Tensor mask = at::ones({64, 64}, at::kBool).tril(), places = at::arange(4096, at::kFloat),
                         state = at::zeros({64, 64});
        for (const at::Tensor& input : {mask, places, state}) {
            InputTraits traits = traitsOf(input);
            QVERIFY(canBeRedrawn(input, traits) == traits.constant);
            traits.repeats = !traits.constant;
            QVERIFY(canBeRedrawn(input, traits));
            const at::Tensor other = redrawn(input, traits);
            QVERIFY(other.sizes() == input.sizes() && other.scalar_type() == input.scalar_type());
            const double changed = other.ne(input).to(at::kDouble).mean().item<double>();
            QVERIFY2(changed > 0.4, qPrintable(QString::number(changed)));
            QVERIFY(!at::equal(redrawn(input, traits), other));
        }
        InputTraits traits = traitsOf(state.log());
        traits.repeats = true;
        QVERIFY2(!canBeRedrawn(state.log(), traits), "a row of nothing but infinities has no result");
        QVERIFY2(!canBeRedrawn(at::full({}, 2.0), traitsOf(at::full({}, 2.0))), "it may be an exponent");
    }
    void wholeNumbersThatRepeatAreKnown()
    {
        const at::Tensor ids = at::randint(8, {4, 64}), turned = at::arange(63, -1, -1), offsets = at::arange(64);
        QVERIFY(canRepeat(ids, traitsOf(ids)) && !traitsOf(ids).distinct);
        QVERIFY(canRepeat(turned, traitsOf(turned)) && traitsOf(turned).distinct);
        QVERIFY(canRepeat(offsets, traitsOf(offsets)) && !traitsOf(offsets).movable);
        for (const at::Tensor& input : {ids, turned, offsets, at::eye(8), at::randn({8}, at::kComplexFloat)}) {
            InputTraits traits = traitsOf(input);
            traits.repeats = canRepeat(input, traits) || at::isComplexType(input.scalar_type());
            QVERIFY(traits.repeats);
            QVERIFY(!familyApplies("flipped", std::array{traits})); // contents of timed calls are changed instead
        }
    }
    void rowsAreBlended()
    {
        // Each row is one number throughout, so the share that comes from another row can be seen.
        const at::Tensor input = at::arange(1, 257, at::kFloat).view({256, 1}).expand({256, 1024}).add(0.5);
        const InputTraits traits = traitsOf(input);
        QVERIFY(traits.manyRows && familyApplies("blended", std::array{traits}));
        const at::Tensor others = applyFamily("blended", input, traits).ne(input).sum(1);
        QVERIFY(others.lt(64).sum().item<std::int64_t>() > 64 && others.gt(256).sum().item<std::int64_t>() > 16);
        QVERIFY(others.gt(0).sum().item<std::int64_t>() > 128);
        const at::Tensor one = at::rand({1, 64}), matrix = at::rand({16, 16}), symmetric = matrix + matrix.t();
        for (const at::Tensor& alone : {one, symmetric, at::rand({64})})
            QVERIFY(!familyApplies("blended", std::array{traitsOf(alone)}));
    }
    void blendedRowsHaveElementsOfRows()
    {
        for (const at::Tensor& input : {at::rand({1, 8, 64}), at::rand({4, 3, 8, 8}).to(at::kHalf), at::rand({2, 1})}) {
            const InputTraits traits = traitsOf(input);
            const at::Tensor blended = applyFamily("blended", input, traits);
            QVERIFY(blended.sizes() == input.sizes() && blended.scalar_type() == input.scalar_type());
            QVERIFY(at::isin(blended, input).all().item<bool>());
        }
    }
    void probabilitiesStaySo()
    {
        const at::Tensor input = at::softmax(at::randn({32, 256}), 1);
        const InputTraits traits = traitsOf(input);
        QVERIFY(familyApplies("rows", std::array{traits}) && !familyApplies("scaled", std::array{traits}));
        const at::Tensor changed = applyFamily("rows", input, traits);
        QVERIFY(changed.sum(1).sub(1).abs().max().item<double>() < 1e-5);
        const at::Tensor largest = std::get<0>(changed.max(1)); // some rows are much more even than others
        QVERIFY(largest.max().item<double>() > 10 * largest.min().item<double>());
    }
    void whatHoldsForWholeRowsStays_data()
    {
        QTest::addColumn<QByteArray>("family");
        for (const char* family :
             {"scaled", "rows", "blended", "shifted", "sparse", "constant", "tiny", "large_values"})
            QTest::newRow(family) << QByteArray(family);
    }
    void whatHoldsForWholeRowsStays()
    {
        QFETCH(QByteArray, family);
        const at::Tensor limits = std::get<0>(at::rand({4, 64}).sort(-1)), directions = at::randn({64, 4}),
                         turns = directions / directions.norm(2, -1, true), half = at::randn({8, 16, 16}),
                         matrices = half + half.mT();
        const auto changed = [&](const at::Tensor& input) {
            return applyFamily(family.toStdString(), input, traitsOf(input));
        };
        QVERIFY(traitsOf(limits).ordered && !traitsOf(directions).ordered);
        QVERIFY(changed(limits).diff().ge(0).all().item<bool>());
        QVERIFY(traitsOf(turns).unitRows && !traitsOf(directions).unitRows);
        QVERIFY(changed(turns).norm(2, -1).sub(1).abs().max().item<double>() < 1e-5);
        QVERIFY(traitsOf(matrices).symmetric && !traitsOf(half).symmetric);
        const at::Tensor symmetric = changed(matrices);
        QVERIFY(at::equal(symmetric, symmetric.mT()));
    }
    void fewNumbersInOrderAreChance() { QVERIFY(!traitsOf(std::get<0>(at::rand({8}).sort(-1))).ordered); }
    void theInputItselfStays()
    {
        const at::Tensor input = at::rand({4, 4}), before = input.clone();
        applyFamily("spiked", input, traitsFor(input, true));
        QVERIFY(at::equal(input, before));
    }
    void itIsForHalfTypesAlone()
    {
        const at::Tensor input = at::rand({8, 64});
        const std::array with{traitsFor(input, true)}, without{traitsFor(input, false)};
        QVERIFY(familyApplies("spiked", with));
        QVERIFY(!familyApplies("spiked", without));
        QVERIFY(applyFamily("spiked", input, without[0]).is_same(input));
    }
    void anErrorCountsByTheReferencesOwn()
    {
        QVERIFY(excessOf(errors(1e-7, 1.4e-6)) < 1);       // the last bits
        QVERIFY(excessOf({0, 5e-8, true, {}, 1e-10}) > 1); // of single precision, where the reference has double
        QVERIFY(excessOf(errors(1e-7, 2.4e-3)) > 1);
        QVERIFY(excessOf(errors(1.1e-3, 2.4e-3)) < 1);
        QVERIFY(excessOf(errors(1e-7, 2e-6)) > excessOf(errors(1.1e-3, 2.4e-3)));
    }
};

QTEST_GUILESS_MAIN(TestInputFamily)
#include "tst_inputfamily.moc"
