// SPDX-License-Identifier: GPL-3.0-or-later
// What scanModule sees and what it must not be taken in by.
#include "core/tasks/modulescan.h"

#include <QTest>

using cudal1::tasks::scanModule;

class TestModuleScan : public QObject {
    Q_OBJECT

private slots:
    void moduleLevelNames_data()
    {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<int>("line"); // of the module-level binding of Model, 0 for none
        const auto row = [](const char* name, const char* source, int line) {
            QTest::newRow(name) << QByteArray(source) << line;
        };
        row("class", "import torch\n\nclass Model(torch.nn.Module):\n    pass\n", 3);
        row("class without bases", "class Model:\n    pass\n", 1);
        row("no final newline", "class Model: pass", 1);
        row("windows line ends", "import torch\r\n\r\nclass Model:\r\n    pass\r\n", 3);
        row("old mac line ends", "import torch\rclass Model:\r    pass\r", 2);
        row("spread over lines", "class Model(\n    Base,\n):\n    pass\n", 1);
        row("continued line", "class \\\n    Model: pass\n", 1);
        row("decorated", "@wrap(\n 'x')\nclass Model: pass\n", 3);
        row("assigned", "class Net: pass\nModel = Net\n", 2);
        row("annotated", "class Net: pass\nModel: type = Net\n", 2);
        row("imported", "from net import (\n    Other,\n    Net as Model,\n)\n", 1);
        row("imported as another", "from net import Model as Net\n", 0);
        row("second statement", "import torch; Model = torch.nn.ReLU\n", 1);
        row("inside if", "if fast:\n    class Model: pass\nelse:\n    class Model: pass\n", 2);
        row("inside try", "try:\n\timport x\nexcept ImportError:\n\tclass Model: pass\n", 4);
        row("after a nested def", "if a:\n  def f():\n    pass\n  class Model: pass\n", 4);
        row("after a one-line def", "def f(): pass\nclass Model: pass\n", 2);
        row("after an async def", "async def f():\n    pass\nclass Model: pass\n", 3);
        row("comment at column 0 ends no block", "def f():\n    a = 1\n# note\n    class Model: pass\n", 0);
        row("blank line ends no block", "def f():\n    a = 1\n\n    class Model: pass\n", 0);
        row("bracketed lines at column 0 end no block", "def f():\n    a = [\n1,\n]\n    class Model: pass\n", 0);
        row("string lines at column 0 end no block", "def f():\n    '''\ntext\n'''\n    class Model: pass\n", 0);
        row("nested class", "class Outer:\n    class Model: pass\n", 0);
        row("body on the def's line", "def f(): a = 1; Model = 2\n", 0);
        row("longer name", "class ModelNew: pass\n", 0);
        row("shorter name", "class Mod: pass\n", 0);
        row("docstring", "\"\"\"\nclass Model: pass\n\"\"\"\n", 0);
        row("single-quoted docstring", "'''\nclass Model: pass\n'''\n", 0);
        row("quote in docstring", "\"\"\"a \" b '''\nclass Model: pass\n\"\"\"\n", 0);
        row("escaped end of docstring", "\"\"\"\\\"\"\"\nclass Model: pass\n\"\"\"\n", 0);
        row("raw string", "a = r'\\'; class Model: pass'\n", 0);
        row("string over a continued line", "a = 'x\\\nclass Model: pass'\n", 0);
        row("comment", "# class Model: pass\n", 0);
        row("quote in a comment", "# don't\nclass Model: pass\n", 2);
        row("hash in a string", "a = '#'; Model = 1\n", 1);
        row("comparison", "Model == 1\n", 0);
        row("augmented", "Model += 1\n", 0);
        row("keyword argument", "f(Model=1)\n", 0);
        row("attribute", "x.Model = 1\n", 0);
        row("item", "Model[0] = 1\n", 0);
        row("empty strings", "a = '' + \"\"\nclass Model: pass\n", 2);
        row("line numbers across a docstring", "\"\"\"a\nb\nc\"\"\"\nclass Model: pass\n", 4);
        row("formatted string with line end", "a = f'{\nx}'\nclass Model: pass\n", 3);
    }

    void moduleLevelNames()
    {
        QFETCH(QByteArray, source);
        QFETCH(int, line);
        const auto scan = scanModule(source.toStdString());
        QVERIFY2(!scan.flaw, scan.flaw ? scan.flaw->message.c_str() : "");
        const auto* found = scan.find("Model");
        QCOMPARE(found ? found->line : 0, line);
    }

    void flaws_data()
    {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<int>("line");
        QTest::addColumn<QByteArray>("part");
        const auto row = [](const char* name, const char* source, int line, const char* part) {
            QTest::newRow(name) << QByteArray(source) << line << QByteArray(part);
        };
        row("open triple string", "import torch\n'''\nclass Model: pass\n", 2, "triple-quoted string is never closed");
        row("triple closed by the other quotes", "a = 1\n\"\"\"\ntext '''\n", 2, "triple-quoted");
        row("open string", "a = 1\nb = 'x\nc = 2\n", 2, "not closed on its line");
        row("open string at the end", "a = \"x", 1, "not closed on its line");
        row("open formatted string", "a = f'{x}\nb = 2\n", 1, "not closed on its line");
        row("open formatted string with a doubled brace", "a = f'{{\nb = 2\n", 1, "not closed on its line");
        row("open parenthesis", "a = 1\nf(1,\nclass Model:\n    pass\n", 2, "'(' is never closed");
        row("innermost open bracket", "a = (\n[\n1\n", 2, "'[' is never closed");
        row("stray bracket", "a = 1\n\nb = 2)\n", 3, "')' closes nothing");
        row("crossed brackets", "a = (\n1]\n", 2, "']' does not close '(' of line 1");
    }

    void flaws()
    {
        QFETCH(QByteArray, source);
        QFETCH(int, line);
        QFETCH(QByteArray, part);
        const auto scan = scanModule(source.toStdString());
        QVERIFY(scan.flaw.has_value());
        QCOMPARE(scan.flaw->line, line);
        QVERIFY2(scan.flaw->message.find(part.toStdString()) != std::string::npos, scan.flaw->message.c_str());
    }

    void everyPrefixOfATextEnds()
    {
        const std::string text = "'''a\\'''\r\n'''\nclass Model(f\"{x!r:>{w}}\"): # it's\n\tx = {'a': [1, (2)]}\\\n\n"
                                 "async def f(): return rb'\\''\nfrom a import (b as c, d)\n";
        for (std::size_t length = 0; length <= text.size(); ++length) {
            const auto scan = scanModule(std::string_view(text).substr(0, length));
            QVERIFY(scan.lines >= 1);
            QVERIFY(scan.lines <= 9);
        }
    }
};

QTEST_APPLESS_MAIN(TestModuleScan)
#include "tst_modulescan.moc"
