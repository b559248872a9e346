// SPDX-License-Identifier: GPL-3.0-or-later
// The scanner takes Python apart at the right places, whatever stands in strings, comments and brackets.
#include "core/policy/pythonscanner.h"

#include <QtTest>

using namespace cudal1::policy;

namespace {

const std::string source = R"py("""class Model: not this one
def forward(self): nor this"""
import torch  # import Model
from torch import (
    nn,
)

SIZE = {"Model": [1, 2]}  # a Model in a key


def helper(Model=None):
    return Model


class Model(nn.Module):
    """class Model"""
    def __init__(self, n: int = (1, 2)[0], *, bias=True):
        super(Model, self).__init__()
        text = 'it\'s # no comment'
        self.Model = nn.Linear(n, \
n)

    @staticmethod
    def make(Model=1):
        return f"{Model}"

    # about forward
    @torch.no_grad()
    def forward(self, x, scale: float = 2.0,
                *rest):
        r'''def fake(self):'''
        if x is None:

            return Model
        return self.Model(x)

def get_inputs():
    return []
)py";

} // namespace

class TestPythonScanner : public QObject {
    Q_OBJECT
private slots:
    void classesAndMethods()
    {
        const auto module = scanPython(source);
        QVERIFY(module.ok());
        QCOMPARE(module->classes.size(), std::size_t(1));
        const PythonClass* model = module->find("Model");
        QVERIFY(model);
        QCOMPARE(model->methods.size(), std::size_t(3));
        QVERIFY(model->method("__init__") && model->method("make") && model->method("forward"));
        QCOMPARE(module->functions.size(), std::size_t(2));
        QCOMPARE(module->functions[1].name, std::string("get_inputs"));
    }

    void decoratorsBelongToTheirFunction()
    {
        const auto module = scanPython(source);
        const PythonFunction* forward = module->find("Model")->method("forward");
        QVERIFY(source.substr(forward->begin).starts_with("    @torch.no_grad()"));
        QVERIFY(source.substr(forward->nameBegin).starts_with("forward(self"));
        QVERIFY(source.substr(0, forward->end).ends_with("return self.Model(x)\n"));
        QCOMPARE(forward->indentation, std::string("    "));
    }

    void parametersWithoutSelfDefaultsAndAnnotations()
    {
        const auto module = scanPython(source);
        const auto& forward = *module->find("Model")->method("forward");
        QCOMPARE(forward.parameters, (std::vector<std::string>{"x", "scale", "*rest"}));
        QCOMPARE(module->find("Model")->method("__init__")->parameters, (std::vector<std::string>{"n", "bias"}));
        QVERIFY(forward.parameterText.starts_with("self, x, scale: float = 2.0,"));
    }

    void renamesNamesAndNothingElse()
    {
        const auto module = scanPython(source);
        const std::string out = module->renamed(0, module->text.size(), "Model", "ModelNew");
        QVERIFY(out.find("class ModelNew(nn.Module):") != std::string::npos);
        QVERIFY(out.find("super(ModelNew, self)") != std::string::npos);
        QVERIFY(out.find("\"\"\"class Model: not this one") != std::string::npos);
        QVERIFY(out.find("# import Model\n") != std::string::npos);
        QVERIFY(out.find("{\"Model\": [1, 2]}") != std::string::npos);
        QVERIFY(out.find("self.Model = nn.Linear") != std::string::npos);
        QVERIFY(out.find("def helper(Model=None)") != std::string::npos);
    }

    void importsEnd()
    {
        const auto module = scanPython(source);
        QVERIFY(module->text.substr(0, module->importsEnd).ends_with("    nn,\n)\n"));
    }

    void reportsWhereABracketOrStringStaysOpen()
    {
        const auto bracket = scanPython("a = 1\nb = (2,\nc = 3\n");
        QVERIFY(!bracket.ok());
        QCOMPARE(bracket.error().context, std::string("line 2"));
        const auto text = scanPython("a = 1\n\nb = 'two\n");
        QVERIFY(!text.ok());
        QCOMPARE(text.error().context, std::string("line 3"));
    }
};

QTEST_APPLESS_MAIN(TestPythonScanner)
#include "tst_pythonscanner.moc"
