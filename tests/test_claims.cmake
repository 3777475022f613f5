# The test looks up what the claims name in the sources.
target_compile_definitions(${name} PRIVATE LOTOR_SOURCES="${PROJECT_SOURCE_DIR}")
