// SPDX-License-Identifier: GPL-3.0-or-later
// Base of the tests of pages on the sample project: the open project, and the selection that its pages share.
#pragma once

#include "pageproject.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QObject>
#include <QTemporaryDir>

/// The project stays open for all functions of a test; each begins with nothing selected and no filter.
class PageTest : public QObject {
    Q_OBJECT

protected:
    QTemporaryDir m_folder;
    cudal1::tests::SampleProject m_sample;
    cudal1::ui::ProjectModel m_project;
    cudal1::ui::Selection m_selection;

protected slots:
    void initTestCase();
    void init() { m_selection.clear(); }
};
