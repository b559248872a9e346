// SPDX-License-Identifier: GPL-3.0-or-later
// A fork has the constants of its libraries in its page tables.
#include "core/judge/module/residentconstants.h"

#include <QtTest>

#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Mapped {
    long size_kib = 0, resident_kib = 0;
};

/// Read-only parts of Qt's core library in this process.
Mapped qtConstants()
{
    Mapped sum;
    bool counts = false;
    std::ifstream maps("/proc/self/smaps");
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::string key, value;
        words >> key >> value;
        if (key.find('-') != std::string::npos)
            counts = value == "r--p" && line.find("libQt6Core.so") != std::string::npos;
        else if (counts && key == "Size:")
            sum.size_kib += std::stol(value);
        else if (counts && key == "Rss:")
            sum.resident_kib += std::stol(value);
    }
    return sum;
}

} // namespace

class TestResidentConstants : public QObject {
    Q_OBJECT
private slots:
    void aForkGetsThemAll()
    {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        const pid_t child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            Mapped found[2] = {qtConstants(), {}};
            cudal1::judge::mapConstants();
            found[1] = qtConstants();
            ::_exit(::write(ends[1], found, sizeof found) == sizeof found ? 0 : 1);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
        Mapped found[2];
        QCOMPARE(::read(ends[0], found, sizeof found), ssize_t(sizeof found));
        QVERIFY(found[0].size_kib > 1000);
        QVERIFY2(found[0].resident_kib < found[0].size_kib, "a fork that has all of them at once shows nothing");
        QVERIFY2(found[1].resident_kib == found[1].size_kib,
                 qPrintable(QString("%1 of %2 KiB").arg(found[1].resident_kib).arg(found[1].size_kib)));
    }
};

QTEST_GUILESS_MAIN(TestResidentConstants)
#include "tst_residentconstants.moc"
