// SPDX-License-Identifier: GPL-3.0-or-later
// Server-sent events, in pieces of every size.
#include "core/models/eventstream.h"

#include <QTest>

using cudal1::models::EventStream;

class TestEventStream : public QObject {
    Q_OBJECT
private slots:
    void events_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArrayList>("events");
        QTest::addColumn<bool>("cutOff");
        const auto row = [](const char* name, const QByteArray& bytes, const QByteArrayList& events,
                            bool cutOff = false) { QTest::newRow(name) << bytes << events << cutOff; };
        row("nothing", "", {});
        row("two", "data: a\n\ndata: b\n\n", {"a", "b"});
        row("ends of lines", "data: a\r\n\r\ndata: b\r\rdata: c\n\n", {"a", "b", "c"});
        row("no blank", "data:a\n\n", {"a"});
        row("one blank goes", "data:  a\n\n", {" a"});
        row("several lines", "data: a\ndata\ndata: b\n\n", {"a\n\nb"});
        row("comments and fields", ": ping\n\nevent: x\nid: 1\nretry: 5\ndata: a\n:\n\n", {"a"});
        row("byte order mark",
            "\xEF\xBB\xBF"
            "data: a\n\n",
            {"a"});
        row("no data", "event: x\n\n\n\n", {});
        row("colons", "data: {\"a\": \"b:c\"}\n\n", {"{\"a\": \"b:c\"}"});
        row("cut off in a line", "data: a\n\ndata: b", {"a"}, true);
        row("cut off before the empty line", "data: a\n\ndata: b\n", {"a"}, true);
        row("other names", "datas: a\nxdata: b\n\n", {});
    }
    void events()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArrayList, events);
        QFETCH(bool, cutOff);
        for (int size = 1; size <= bytes.size() + 1; ++size) {
            EventStream stream;
            QByteArrayList got;
            for (int at = 0; at < bytes.size(); at += size)
                stream.feed(bytes.mid(at, size).toStdString(), [&](const std::string& data) {
                    got << QByteArray::fromStdString(data);
                    return true;
                });
            QCOMPARE(got, events);
            QCOMPARE(stream.cutOff(), cutOff);
        }
    }

    void stops()
    {
        EventStream stream;
        QByteArrayList got;
        const auto one = [&](const std::string& data) {
            got << QByteArray::fromStdString(data);
            return data != "end";
        };
        stream.feed("data: a\n\ndata: end\n\ndata: b\n\n", one);
        stream.feed("data: c\n\n", one);
        QCOMPARE(got, (QByteArrayList{"a", "end"}));
    }
};

QTEST_APPLESS_MAIN(TestEventStream)
#include "tst_eventstream.moc"
