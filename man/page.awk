# page.awk - corrects the output of lowdown, so that a page renders alike everywhere and its commands can be copied.
#
# In code and in bold a dash is typed as the minus that a shell wants (\-), quotes stay straight, and nothing
# is hyphenated. Headings are on the line of their macro, and a definition is a tagged paragraph (.TP) where lowdown
# moves the paper back up. Code in a line is bold: a terminal shows no other font for it.

function literal(text)
{
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    gsub(/~/, "\\(ti", text)
    gsub(/\^/, "\\(ha", text)
    return text
}

# Bold spans of a line, which end at the next change of font.
function correct(line,    done, start, stop)
{
    gsub(/\\fC/, "\\fB", line)
    done = ""
    while ((start = index(line, "\\fB")) > 0) {
        done = done substr(line, 1, start + 2)
        line = substr(line, start + 3)
        stop = index(line, "\\f")
        if (stop == 0)
            break
        done = done literal(substr(line, 1, stop - 1))
        line = substr(line, stop)
    }
    return done line
}

function flush_held()
{
    if (held != "")
        print held
    held = ""
}

/^\.TH / {
    print ".nr HY 0" # paragraphs would switch hyphens on again
    print
    print ".ad l"
    print ".ss 12 0" # one space after a sentence, wherever its line ended
    next
}
/^\.(SH|SS)$/ {
    flush_held()
    heading = $0
    next
}
heading != "" {
    print heading " " $0
    in_name = $0 == "NAME"
    heading = ""
    next
}
/^\.EX$/ { flush_held(); in_code = 1; print; next }
/^\.EE$/ { in_code = 0 }
in_code { print literal($0); next }
in_name && !/^\./ { flush_held(); print literal($0); next }
/^\.if [nt] \\$/ { skip = 1; next }
skip { skip = 0; next }
# A term waits for its definition: only then is it known to be one.
/^\.LP$/ { flush_held(); held = ".LP"; next }
held == ".LP" && !/^\./ { held = ".LP\n" correct($0); next }
/^\.IP "" 5n$/ && held != "" {
    sub(/^\.LP/, ".TP", held)
    print held
    held = ""
    next
}
{ flush_held(); print correct($0) }
END { flush_held() }
