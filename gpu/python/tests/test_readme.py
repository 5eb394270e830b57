"""The examples of README.md run, in their order, in one program; those that need another library are left out without it."""
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_examples():
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 4
    program = ""
    for block in blocks:
        needed = re.findall(r"^import (\w+)", block, re.MULTILINE)
        if all(find_spec(name) for name in needed) and not ("cupy" in needed or "torch" in needed):
            program += block
    result = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, program + result.stderr


def test_help():
    import pydoc

    import satscope

    text = pydoc.plain(pydoc.render_doc(satscope))
    for name in satscope.__all__:
        assert name in text, name
        found = getattr(satscope, name)
        assert found.__doc__, name
        members = [getattr(found, member) for member in vars(found) if member in ("__call__", "time", "tune")]
        for documented in [found, *members]:
            lines = [line for line in documented.__doc__.splitlines() if not line.startswith(("__call__(", "time("))]
            assert max(map(len, lines)) <= 135, documented
    for words in ("integral(image: Any,", "class Plan", "box_filter(image: Any,", "simulate(algorithm: str | ", "(self, image: typing.Any,"):
        assert words in text, words
    assert ": 'str" not in text  # annotations are no strings


def test_the_plots_of_a_talk(tmp_path):
    script = Path(__file__).parents[1] / "examples/talk.py"
    arguments = ["--sizes", "32", "64", "--runs", "2", "--counted", "32", "--output", str(tmp_path)]
    result = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    times = (tmp_path / "times.csv").read_text()
    assert "host_serial,32," in times and "NumPy: cumsum twice,64," in times
    assert "2r1w," in (tmp_path / "counts.csv").read_text()
    for wrong in (["--sizes", "0"], ["--runs", "-1"], ["--type", "u9"]):
        result = subprocess.run([sys.executable, script, *wrong], capture_output=True, text=True)
        assert result.returncode == 2 and wrong[0] in result.stderr and "Traceback" not in result.stderr
    assert (tmp_path / "times.png").exists() == (find_spec("matplotlib") is not None)
