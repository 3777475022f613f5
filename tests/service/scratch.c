/* scratch.c - makes and removes temporary folders. See scratch.h. */
#include "service/scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void need(int holds, const char *what)
{
    if (!holds) {
        perror(what);
        abort();
    }
}

void scratch_start(scratch *files)
{
    const char *where = getenv("TMPDIR");
    snprintf(files->folder, sizeof files->folder, "%s/lotor-test.XXXXXX", where ? where : "/tmp");
    need(mkdtemp(files->folder) != NULL, files->folder);
}

const char *scratch_path(scratch *files, const char *name)
{
    snprintf(files->path, sizeof files->path, "%s/%s", files->folder, name);
    return files->path;
}

void scratch_end(scratch *files)
{
    chmod(files->folder, 0700);
    DIR *folder = opendir(files->folder);
    if (folder) {
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            unlink(scratch_path(files, entry->d_name));
        }
        closedir(folder);
    }
    rmdir(files->folder);
}

unsigned char *scratch_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    need(file != NULL, path);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*length + 1);
    need(bytes && fread(bytes, 1, *length, file) == *length, path);
    bytes[*length] = '\0';
    fclose(file);
    return bytes;
}

void scratch_write(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    need(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0, path);
}
