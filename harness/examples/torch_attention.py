"""Latent paged attention in PyTorch, judged through files:

    attest export -k decode DIR && python3 torch_attention.py DIR && attest judge DIR --implementation torch

With --wrong-scale the scale is one per cent too large, and judge has to say where that shows.
"""
import argparse
import pathlib

import numpy
import torch

from read_case import read_case, write_answer


def tensor_of(array, dtype, device):
    if array.dtype == numpy.uint16:
        return torch.from_numpy(array.view(numpy.int16)).view(torch.bfloat16).to(device)
    return torch.from_numpy(array).to(device, dtype) if dtype else torch.from_numpy(array).to(device)


def bits_of(tensor):
    return tensor.cpu().contiguous().view(torch.int16).numpy()


def rotate(rows, cos, sin, offset, interleaved):
    """rows [..., hs] in float32; cos, sin [..., R/2]"""
    span = 2 * cos.shape[-1]
    turned = rows.clone()
    part = rows[..., offset : offset + span]
    x, y = (part[..., 0::2], part[..., 1::2]) if interleaved else (part[..., : span // 2], part[..., span // 2 :])
    pair = torch.stack((x * cos - y * sin, y * cos + x * sin), -1 if interleaved else -2)
    turned[..., offset : offset + span] = pair.flatten(-2)
    return turned


def attend(case, inputs, device, scale_by):
    node, dialect = case["attributes"], case.get("dialect", "onnx-genai")
    query, key, cache = (tensor_of(inputs[n], None, device) for n in ("query", "key", "key_cache"))
    heads, hs = node["num_heads"], cache.shape[-1]
    vhs = node.get("v_head_size", 0) or hs
    blocks, size = cache.shape[:2]
    cache = cache.clone().reshape(blocks * size, hs)
    starts, past, table = (inputs[n] for n in ("cumulative_sequence_length", "past_seqlens", "block_table"))
    slots = inputs.get("slot_mapping")
    scale = node.get("scale", hs**-0.5) * scale_by
    cap, window = node.get("softcap", 0.0), node.get("local_window_size", -1)
    before = window if dialect == "onnx-genai" else window - 1 if window > 0 else -1
    turn = node.get("do_rotary", 0) != 0 if dialect == "onnx-genai" else node.get("do_rotary", 0) == 1
    crossed = node.get("rotary_interleaved", 0) != 0 if dialect == "onnx-genai" else node.get("rotary_interleaved", 0) == 1
    tokens = [(b, t, int(past[b]) + t - int(starts[b])) for b in range(len(past)) for t in range(starts[b], starts[b + 1])]
    output = torch.zeros(query.shape[0], heads, vhs, dtype=query.dtype, device=device)
    rows, asked = key.float(), query.float().reshape(-1, heads, hs)
    if turn and tokens:
        cos, sin = (tensor_of(inputs[n], None, device).float() for n in ("cos_cache", "sin_cache"))
        at = torch.tensor([p for _, _, p in tokens], device=device)
        which = torch.tensor([t for _, t, _ in tokens], device=device)
        offset = node.get("rotary_offset", 0)
        span = slice(offset, offset + 2 * cos.shape[1])
        rows, asked = rows.clone(), asked.clone()
        rows[which] = rotate(rows[which], cos[at], sin[at], offset, crossed)
        asked[which] = rotate(asked[which], cos[at][:, None], sin[at][:, None], offset, crossed)
        fresh = key.clone()
        fresh[:, span] = rows[:, span].to(key.dtype)
    else:
        fresh = key
    for b, t, p in tokens:
        slot = int(slots[t]) if slots is not None else int(table[b, p // size]) * size + p % size
        if 0 <= slot < blocks * size:
            cache[slot] = fresh[t]
    for b, t, p in tokens:
        first = 0 if before < 0 else max(0, p - before)
        pages = [(j, int(table[b, j // size])) for j in range(first, p + 1) if j // size < table.shape[1]]
        seen = [page * size + j % size for j, page in pages if 0 <= page < blocks]
        if seen:
            k = cache[torch.tensor(seen, device=device)].float()
            logits = scale * asked[t] @ k.T
            logits = cap * torch.tanh(logits / cap) if cap > 0 else logits
            output[t] = (torch.softmax(logits, -1) @ k[:, :vhs]).to(query.dtype)
    return output.reshape(query.shape[0], heads * vhs), cache


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder")
    arguments.add_argument("--wrong-scale", action="store_true")
    chosen = arguments.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for folder in sorted(p.parent for p in pathlib.Path(chosen.folder).glob("**/case.json")):
        case, inputs = read_case(folder)
        output, cache = attend(case, inputs, device, 1.01 if chosen.wrong_scale else 1.0)
        write_answer(folder, "torch", bits_of(output), bits_of(cache))


if __name__ == "__main__":
    main()
