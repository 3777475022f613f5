# example_says.sh NAME OUTPUT - checks that the example NAME has learnt what it should learn. Exit status 0:
# yes.
#
# The noise is exact, so every run differs: the bounds are so wide that fewer than one run in a million fails.
exec awk -v name="$1" '
    function near(value, expected, most) { return value != "" && value > expected - most && value < expected + most }
    /^private: epsilon = / { promised = 1 }
    name == "counter" && /^about/ { good = near($2, 25000, 600) }                  # deviation 59
    name == "finite" && /^text 2/ { good = $5 > 10000 }                            # of 20,000
    name == "matroid" { share = $0; if (sub(/.*, on */, "", share) && /^(sleep|stress|walking|sugar)/) best += share + 0 }
    name == "semi_bandit" && /^lost/ { good = $9 < $4 && $9 < 0.03 }
    name == "max_cut" && /^lost/ { good = $9 < $4 && $9 < 0.03 }                   # 1.2 at the next best cut
    name == "set_cover" && /^lost/ { good = $9 < $4 && $9 < 0.03 }
    name == "cascade" && /^quarter 4/ { good = $3 + 0 > 50 }                       # 58 at most, 33 at random
    name == "linear" && /^quarter 4/ { good = $3 + 0 > 90 }
    name == "local" && /^said/ { good = near($5 + 0, $12 + 0, 6); promised = 1 }   # deviation 1.1
    name == "simulate" && NF >= 7 { regret[$1, $2] = $3 }
    name == "audit" && /^dp-se: no violation/ { held = 1 }
    name == "audit" && /^cascade-ldp-gauss: violated/ { promised = held }
    name == "audit" && /at least/ { good = $5 + 0 > 1 }                            # the second claim is refuted
    END {
        if (name == "matroid") good = best > 240                                   # 400 is the best page each time
        if (name == "simulate") {
            promised = regret["ucb", "inf"] > 0
            good = regret["lik-imed", 0.0625] > regret["lik-imed", 1] && regret["dp-se", 0.25] > regret["dp-se", 1]
        }
        exit !(good && promised)
    }' "$2"
