target_compile_definitions(${name} PRIVATE OPENAPI_FILE="${PROJECT_SOURCE_DIR}/docs/openapi.json")
