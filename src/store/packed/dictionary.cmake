# dictionary.txt as a C array: cmake -DTEXT=dictionary.txt -DOUTPUT=dictionary.c -P dictionary.cmake
file(READ ${TEXT} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "0x0a," "0x00,\n" bytes "${bytes}") # each text ends with a zero
file(WRITE ${OUTPUT} "#include \"store/packed/dictionary.h\"\n\nconst guint8 dt_packed_dictionary[] = {\n${bytes}};\n"
     "const gsize dt_packed_dictionary_bytes = sizeof(dt_packed_dictionary);\n")
