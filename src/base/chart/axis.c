/* axis.c - see axis.h. */
#include "base/chart/axis.h"

#include <math.h>

/* Limits on values, so that their sums, differences and ratios stay finite. */
static const double largest = 1e150, smallest = 1e-150;

bool lotor_axis_shows(bool is_log, double value)
{
    return is_log ? value >= smallest && value <= largest : fabs(value) <= largest;
}

lotor_axis_range lotor_axis_range_with(lotor_axis_range range, bool is_log, double value)
{
    if (!lotor_axis_shows(is_log, value)) {
        return range;
    }
    if (range.low > range.high) {
        return (lotor_axis_range){value, value};
    }
    return (lotor_axis_range){fmin(range.low, value), fmax(range.high, value)};
}

lotor_axis_range lotor_axis_range_open(lotor_axis_range range, bool is_log)
{
    if (range.low > range.high) {
        return is_log ? (lotor_axis_range){1.0, 10.0} : (lotor_axis_range){0.0, 1.0};
    }
    const double size = fmax(fabs(range.low), fabs(range.high));
    if (is_log) {
        return range.high < range.low * (1.0 + 1e-6)
                   ? (lotor_axis_range){range.low / 2.0, range.high * 2.0}
                   : range;
    }
    if (range.high - range.low > fmax(size * 1e-6, smallest)) {
        return range;
    }
    const double more = size > smallest ? size * 0.1 : 1.0;
    return (lotor_axis_range){range.low - more, range.high + more};
}

/* The smallest 1, 2 or 5 times a power of ten of which at most `about` fit into `span`. */
static double nice_step(double span, size_t about, int *exponent)
{
    const double least = span / (double)about;
    *exponent = (int)floor(log10(least));
    static const double steps[] = {1.0, 2.0, 5.0};
    for (size_t i = 0; i < 3; i++) {
        if (steps[i] * pow(10.0, *exponent) >= least * (1.0 - 1e-9)) {
            return steps[i] * pow(10.0, *exponent);
        }
    }
    *exponent += 1;
    return pow(10.0, *exponent);
}

lotor_axis_range lotor_axis_range_to_ticks(lotor_axis_range range, size_t about)
{
    int exponent;
    const double step = nice_step(range.high - range.low, about, &exponent);
    return (lotor_axis_range){floor(range.low / step + 1e-9) * step,
                              ceil(range.high / step - 1e-9) * step};
}

static void add_tick(lotor_ticks *ticks, double value)
{
    if (ticks->count < LOTOR_TICKS_MAX) {
        ticks->at[ticks->count++] = value;
    }
}

/* True if the numbers are short enough to be written without an exponent. */
static bool is_plain(double least, double most)
{
    return most < 1e6 && least > 0.00099;
}

static lotor_ticks linear_ticks(lotor_axis_range range, size_t about)
{
    lotor_ticks ticks = {.count = 0};
    int exponent;
    const double step = nice_step(range.high - range.low, about, &exponent);
    const double first = ceil(range.low / step - 1e-9), last = floor(range.high / step + 1e-9);
    for (double i = first; i <= last && ticks.count < LOTOR_TICKS_MAX; i++) {
        /* Dividing by a power of ten is exact; multiplying by 0.1 is not. */
        const double unit = exponent < 0 ? pow(10.0, -exponent) : 1.0;
        add_tick(&ticks, exponent < 0 ? i * round(step * unit) / unit : i * step);
    }
    const double most = fmax(fabs(range.low), fabs(range.high));
    ticks.is_scientific = !is_plain(step, most);
    /* The exponent is a multiple of 3, so that 12 million and 2 million have the same one. */
    ticks.exponent = ticks.is_scientific ? 3 * (int)floor((log10(most) + 1e-9) / 3.0) : 0;
    const int needed = ticks.exponent - exponent;
    ticks.decimals = needed > 9 ? 9 : needed;
    if (needed < 0) {
        ticks.decimals = 0;
    }
    return ticks;
}

static lotor_ticks log_ticks(lotor_axis_range range, size_t about)
{
    lotor_ticks ticks = {.is_log = true};
    const int first = (int)ceil(log10(range.low) - 1e-9);
    const int last = (int)floor(log10(range.high) + 1e-9);
    int stride = 1;
    while ((last - first) / stride + 1 > (int)about) {
        stride++;
    }
    ticks.is_decades = last - first >= 2;
    if (ticks.is_decades) {
        for (int power = first; power <= last; power++) {
            if (power % stride == 0) {
                add_tick(&ticks, pow(10.0, power));
            }
        }
        ticks.has_minor = stride == 1;
    } else {
        static const double steps[] = {1.0, 2.0, 5.0};
        for (int power = first - 1; power <= last; power++) {
            for (size_t i = 0; i < 3; i++) {
                const double value = steps[i] * pow(10.0, power);
                if (value >= range.low * (1.0 - 1e-9) && value <= range.high * (1.0 + 1e-9)) {
                    add_tick(&ticks, value);
                }
            }
        }
    }
    ticks.is_scientific = range.high >= 1e5 || !is_plain(range.low, range.high);
    return ticks;
}

lotor_ticks lotor_ticks_of(lotor_axis_range range, bool is_log, size_t about)
{
    const size_t most = LOTOR_TICKS_MAX / 2;
    size_t wanted = about > most ? most : about;
    if (wanted < 2) {
        wanted = 2;
    }
    if (is_log) {
        const lotor_ticks ticks = log_ticks(range, wanted);
        if (ticks.count >= 3 || (ticks.is_decades && ticks.count == 2)) {
            return ticks;
        }
    }
    return linear_ticks(range, wanted);
}

static void add_power(lotor_text *text, int exponent)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    lotor_text_add(text, "10");
    lotor_text_add(text, exponent < 0 ? "⁻" : "");
    const int size = exponent < 0 ? -exponent : exponent;
    int unit = 1; /* of the first digit; an exponent has at most three */
    while (unit < 100 && size / unit >= 10) {
        unit *= 10;
    }
    for (; unit > 0; unit /= 10) {
        lotor_text_add(text, raised[size / unit % 10]);
    }
}

/* Writes a number with U+2212, a minus sign that is as wide as a plus. */
static void add_signed(lotor_text *text, double value, int decimals)
{
    lotor_text_add(text, value < 0.0 ? "−" : "");
    const double size = fabs(value);
    if (decimals == 0 && size < 1e15) {
        lotor_text_grouped(text, (uint64_t)llround(size));
    } else {
        lotor_text_fixed(text, size, decimals);
    }
}

void lotor_tick_label(lotor_text *text, const lotor_ticks *ticks, double value)
{
    if (value == 0.0 || !ticks->is_scientific) {
        add_signed(text, value, ticks->is_log && value < 1.0 ? 6 : ticks->decimals);
        return;
    }
    const int exponent = ticks->is_log ? (int)floor(log10(value) + 1e-9) : ticks->exponent;
    const double mantissa = value / pow(10.0, exponent);
    if (ticks->is_log && (exponent == 0 || exponent == 1)) {
        add_signed(text, value, 0);
        return;
    }
    if (!ticks->is_log || fabs(mantissa - 1.0) > 1e-9) {
        add_signed(text, mantissa, ticks->decimals);
        lotor_text_add(text, "·");
    }
    add_power(text, exponent);
}

double lotor_axis_scale_at(const lotor_axis_scale *scale, double value)
{
    if (!isfinite(value) || (scale->is_log && value <= 0.0)) {
        return NAN;
    }
    const lotor_axis_range range = scale->range;
    const double share = scale->is_log ? log(value / range.low) / log(range.high / range.low)
                                       : (value - range.low) / (range.high - range.low);
    return scale->from + fmax(-2.0, fmin(3.0, share)) * (scale->to - scale->from);
}
