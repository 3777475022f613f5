# The test reads the inputs that the fuzzers start from.
target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz)
target_compile_definitions(${name} PRIVATE LOTOR_FUZZ_CORPUS="${PROJECT_SOURCE_DIR}/fuzz/corpus")
