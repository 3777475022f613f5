/* refuse.c - fills in the refusals of an intake (intake.h). */
#include <stdarg.h>
#include <stdio.h>

#include "privacy/intake/intake.h"

bool lotor_intake_refuse(lotor_intake_refusal *refusal, lotor_intake_fault fault, const char *field,
                         const char *format, ...)
{
    refusal->fault = fault;
    snprintf(refusal->field, sizeof refusal->field, "%s", field);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal->message.text, sizeof refusal->message.text, format, arguments);
    va_end(arguments);
    return false;
}

bool lotor_intake_refuse_memory(lotor_intake_refusal *refusal)
{
    return lotor_intake_refuse(refusal, LOTOR_FAULT_MEMORY, "",
                               "the server has no memory left: try again");
}
