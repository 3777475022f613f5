"""metrics_check.py METRICS FILE... - reads the metrics of a server as Prometheus does, and checks that files for
operators (a Grafana dashboard, alerts) name only metrics and labels that the server has.

The text format: https://prometheus.io/docs/instrumenting/exposition_formats/. Prints what is wrong; the exit status is
1 if anything is.
"""
import json
import re
import sys

SAMPLE = re.compile(r'^([a-z_]+)(?:\{((?:[a-z_]+="[^"\\\n]*",?)*)\})? ([0-9.e+-]+)$')
problems = []


def family_of(name, types):
    """The name in the line # TYPE: a histogram has three names."""
    short = re.sub("_(bucket|sum|count)$", "", name)
    return short if types.get(short) == "histogram" else name


def read(path):
    """The samples, as {name: [(labels, value)]}, and the types, as {family: type}."""
    samples, types, helps, current = {}, {}, set(), None
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("# HELP "):
            current = line.split(" ")[2]
            if current in helps:
                problems.append(f"two lines # HELP for {current}")
            helps.add(current)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            if name in types or name != current or kind not in ("counter", "gauge", "histogram"):
                problems.append(f"not expected: {line}")
            types[name] = kind
        else:
            found = SAMPLE.match(line)
            if not found:
                problems.append(f"not a sample: {line}")
                continue
            name, labels, value = found.groups()
            if family_of(name, types) != current:
                problems.append(f"{line} stands under {current}")
            if types.get(current) == "counter" and not name.endswith("_total"):
                problems.append(f"the counter {name} does not end in _total")
            pairs = tuple(re.findall(r'([a-z_]+)="([^"]*)"', labels or ""))
            rows = samples.setdefault(name, [])
            if pairs in [row[0] for row in rows]:
                problems.append(f"twice: {line}")
            rows.append((pairs, float(value)))
    return samples, types


def check_histograms(samples, types):
    for family in [name for name, kind in types.items() if kind == "histogram"]:
        series = {}
        for labels, value in samples.get(family + "_bucket", []):
            rest = tuple(pair for pair in labels if pair[0] != "le")
            series.setdefault(rest, []).append((float(dict(labels)["le"]), value))
        counts = dict(samples.get(family + "_count", []))
        if set(series) != set(counts) or set(series) != set(dict(samples.get(family + "_sum", []))):
            problems.append(f"{family}: buckets, sums and counts have other labels")
        for rest, buckets in series.items():
            if buckets != sorted(buckets) or buckets[-1][0] != float("inf"):
                problems.append(f"{family} {rest}: buckets are not in order, or do not end in +Inf")
            elif [row[1] for row in buckets] != sorted(row[1] for row in buckets):
                problems.append(f"{family} {rest}: a larger bucket has fewer requests")
            elif buckets[-1][1] != counts.get(rest):
                problems.append(f"{family} {rest}: the last bucket is not the count")


def texts_of(path):
    """The expressions of a Grafana dashboard (JSON), or the text of a file of alerts without comments."""
    text = open(path, encoding="utf-8").read()
    if not path.endswith(".json"):
        return [line for line in text.splitlines() if not line.lstrip().startswith("#") and "lotor_" in line]
    board = json.loads(text)
    ids = [panel["id"] for panel in board["panels"]]
    if len(ids) != len(set(ids)) or not ids:
        problems.append(f"{path}: panels need an id each")
    names = {variable["name"] for variable in board["templating"]["list"]}
    expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    expressions += [variable["definition"] for variable in board["templating"]["list"] if "definition" in variable]
    for used in re.findall(r"\$\{?([a-z]+)", text):
        if used not in names:
            problems.append(f"{path}: there is no variable ${used}")
    return expressions


def check_file(path, samples):
    expressions = texts_of(path)
    if not expressions:
        problems.append(f"{path}: no expressions were found")
    for expression in expressions:
        for name, labels in re.findall(r"\b(lotor_[a-z_]+)(?:\{([^\"]*(?:\"[^\"]*\"[^\"}]*)*)\})?", expression):
            if name not in samples:
                problems.append(f"{path}: there is no metric {name}")
                continue
            known = {pair[0] for labels_of, _ in samples[name] for pair in labels_of} | {"instance", "job"}
            for label in re.findall(r'([a-z_]+)=~?"', labels):
                if label not in known:
                    problems.append(f"{path}: {name} has no label {label}")
        for group in re.findall(r"\bby \(([^)]*)\)", expression):
            for label in group.split(", "):
                if not any(label in dict(labels) for rows in samples.values() for labels, _ in rows):
                    problems.append(f"{path}: nothing has the label {label}")


def main():
    samples, types = read(sys.argv[1])
    check_histograms(samples, types)
    if len(samples) < 10:
        problems.append("few metrics were found")
    for path in sys.argv[2:]:
        check_file(path, samples)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
