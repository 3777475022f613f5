# Prints the code in the section EXAMPLES of a page of the manual.
/^# / { inside = $0 == "# EXAMPLES" }
inside && /^    |^$/ { print substr($0, 5) }
