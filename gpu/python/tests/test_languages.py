"""The comparison of languages on Numba's simulator, which needs no GPU."""
import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba", reason="numba is not installed")
SCRIPT = Path(__file__).parents[1] / "benchmarks/languages.py"


def simulate(program, *arguments):
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": str(SCRIPT.parent)}
    command = [sys.executable, *program, "--samples", "1", "--batch", "1", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_both_versions_of_numba(tmp_path):
    # One section, some, and one that the row does not fill; more rows than columns, and fewer; more than a tile of the transpose.
    for sizes, section in ((("10x7", "3x9"), "4"), (("35x3",), "8")):
        result = simulate([SCRIPT], "--sizes", *sizes, "--sections", section, "--rows", "4", "--csv", str(tmp_path / "times.csv"))
        assert result.returncode == 0, result.stdout + result.stderr
        assert "| single pass | Numba | " + section in result.stdout
        with (tmp_path / "times.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 2 * len(sizes)
        assert {row["version"] for row in rows} == {"naive", "single pass"}
        assert not any(row["gpu_milliseconds"] == "nan" for row in rows)


@pytest.mark.parametrize("fault", ["transpose", "scan_rows"])
def test_a_wrong_table_is_found(fault):
    program = f"""
import languages
right = languages.Numba.kernels
def wrong(self, *how):
    def nothing(*arguments): pass
    return right(self, *how) | {{"{fault}": languages.cuda.jit(nothing)}}
languages.Numba.kernels = wrong
raise SystemExit(languages.main())
"""
    result = simulate(["-c", program], "--sizes", "4", "--sections", "4", "--rows", "4")
    assert result.returncode == 1, result.stderr
    assert "single pass, Numba, 4, 4, 4x4: the table is wrong" in result.stdout
    assert ("naive, Numba, 4, 4, 4x4: the table is wrong" in result.stdout) == (fault == "transpose")
