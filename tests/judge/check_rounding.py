# SPDX-License-Identifier: GPL-3.0-or-later
"""The modes in which the judge runs a reference to see what rounding does to it (rounding.py). Run as: check_rounding.py FILE."""
import importlib.util
import sys
import unittest

import torch
import torch.nn.functional as F

FILE = sys.argv.pop(1)
spec = importlib.util.spec_from_file_location("rounding", FILE)
rounding = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rounding)


def relative_error(result, exact):
    return ((result.double() - exact).square().mean().sqrt() / exact.square().mean().sqrt()).item()


class TF32ProductsTest(unittest.TestCase):
    PRODUCTS = {
        "linear": lambda x, w: F.linear(x, w),
        "batches of products": lambda x, w: torch.matmul(x.view(4, 8, 64), w.t().expand(4, 64, 64)),
        "a vector": lambda x, w: w @ x[0],
        "convolution": lambda x, w: F.conv2d(x.view(2, 16, 8, 8), w.view(16, 16, 4, 4)),
        "transposed convolution": lambda x, w: F.conv_transpose2d(x.view(2, 16, 8, 8), w.view(16, 16, 4, 4)),
    }

    def setUp(self):
        torch.manual_seed(7)
        self.x, self.w = torch.randn(32, 64), torch.randn(64, 64)

    def test_products_lose_what_tf32_does_not_hold(self):
        for name, product in self.PRODUCTS.items():
            with self.subTest(name), torch.no_grad():
                exact = product(self.x.double(), self.w.double())
                with rounding.TF32Products():
                    error = relative_error(product(self.x, self.w), exact)
                self.assertLess(relative_error(product(self.x, self.w), exact), 1e-6)
                self.assertGreater(error, 5e-5)  # two operands, each off by up to 2^-12 of itself
                self.assertLess(error, 5e-4)

    def test_numbers_of_eleven_digits_stay(self):
        with rounding.TF32Products():
            short = torch.tensor([[1 + 2.0**-10, -3.0, 0.0, float("inf")]])
            self.assertTrue(torch.equal(short.t() @ torch.ones(1, 1), short.t()))
            nan = torch.tensor([[0x7FFFFFFF, -1]], dtype=torch.int32).view(torch.float32)
            self.assertTrue((nan.t() @ torch.ones(1, 1)).isnan().all())
            long = torch.tensor([[1 + 2.0**-11, 1 + 2.0**-12, -(1 + 2.0**-11)]])
            self.assertEqual((long.t() @ torch.ones(1, 1)).flatten().tolist(), [1 + 2.0**-10, 1.0, -(1 + 2.0**-10)])

    def test_what_is_added_and_what_is_no_product_stay(self):
        bias = torch.full((64,), 1 + 2.0**-20)
        with rounding.TF32Products():
            self.assertTrue(torch.equal(F.linear(torch.zeros(2, 64), self.w, bias), bias.expand(2, 64)))
            self.assertTrue(torch.equal(bias * 1.0, bias))
            self.assertTrue(torch.equal(self.w.double() @ self.w.double(), torch.mm(self.w.double(), self.w.double())))


class RoundedTest(unittest.TestCase):
    def test_results_move_by_their_last_digits(self):
        x = torch.randn(1000)
        with rounding.Rounded("cpu", 1, 1):
            moved = torch.sin(x)
        self.assertFalse(torch.equal(moved, torch.sin(x)))
        self.assertLess(relative_error(moved, torch.sin(x.double())), 4e-7)


if __name__ == "__main__":
    unittest.main()
