"""Reads a folder that `attest export` wrote: attributes, and each tensor as an array; writes an answer that `attest judge` reads."""
import json
import pathlib

import numpy

STORED = {"float16": numpy.float16, "bfloat16": numpy.uint16, "float32": numpy.float32, "int32": numpy.int32, "int64": numpy.int64}


def read_case(folder):
    """bfloat16 comes as its 16 bits, since numpy has no such type."""
    folder = pathlib.Path(folder)
    case = json.loads((folder / "case.json").read_text())
    inputs = {name: numpy.fromfile(folder / f"{name}.bin", STORED[t["dtype"]]).reshape(t["shape"]) for name, t in case["inputs"].items()}
    return case, inputs


def write_answer(folder, implementation, output, key_cache_out):
    target = pathlib.Path(folder) / implementation
    target.mkdir(exist_ok=True)
    output.tofile(target / "output.bin")
    key_cache_out.tofile(target / "key_cache_out.bin")
