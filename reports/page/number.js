// Figures for people, and the bits of the formats that kernels answer in.

const collator = new Intl.Collator("en", {numeric: true});
const count = n => n.toLocaleString("en");

function figure(value, digits = 3) {
    if (value === null || value === undefined) return "–";
    if (Number.isNaN(value)) return "nan";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    if (value === 0) return Object.is(value, -0) ? "-0" : "0";
    const size = Math.abs(value);
    return size >= 1e-4 && size < 10 ** Math.max(5, digits) ? String(Number(value.toPrecision(digits)))
        : value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
}

const measure = (value, digits) => value < 0 ? "–" : figure(value, digits); // -1 stands for what does not apply
const milliseconds = seconds => figure(1e3 * seconds);

const formats = {float16: {exponent: 5, mantissa: 10}, bfloat16: {exponent: 8, mantissa: 7},
                 float32: {exponent: 8, mantissa: 23}};

// The bits of the value rounded to nearest even, as "0x3c00"; null where the format is not known.
function bitsOf(value, dtype) {
    const format = formats[dtype];
    if (format === undefined || Number.isNaN(value)) return null;
    const {exponent, mantissa} = format;
    const bias = 2 ** (exponent - 1) - 1, top = 2 ** mantissa, inf = (2 ** exponent - 1) * top;
    const size = Math.abs(value);
    const binade = Math.max(size === 0 ? 1 - bias : floorLog2(size), 1 - bias);
    const steps = toEven(size / 2 ** (binade - mantissa)); // counts a normal number's hidden bit
    const bits = Number.isFinite(size) ? Math.min(steps + (binade + bias - 1) * top, inf) : inf;
    const sign = value < 0 || Object.is(value, -0) ? 2 ** (exponent + mantissa) : 0;
    return "0x" + (sign + bits).toString(16).padStart((1 + exponent + mantissa) / 4, "0");
}

function floorLog2(size) {
    const power = Math.floor(Math.log2(size));
    return 2 ** power > size ? power - 1 : 2 ** (power + 1) <= size ? power + 1 : power;
}

function toEven(x) {
    const below = Math.floor(x), rest = x - below;
    return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}
