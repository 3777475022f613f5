target_compile_definitions(${name} PRIVATE SCHEMA_FILE="${PROJECT_SOURCE_DIR}/docs/statement.schema.json"
                           MATHEMATICS_FILE="${PROJECT_SOURCE_DIR}/docs/mathematics.md")
