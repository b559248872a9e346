# SPDX-License-Identifier: GPL-3.0-or-later
# No task: it defines nothing that one needs.
x = 1
