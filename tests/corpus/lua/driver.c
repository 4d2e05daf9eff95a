/* Runs a Lua script with the standard libraries: driver SCRIPT. Prints the message of an uncaught error, status 1. */
#include <stdio.h>
#include <stdlib.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

/* Adds a traceback to a message, for the script's author. */
static int with_traceback(lua_State *L) {
    const char *message = lua_tostring(L, 1);
    if (message == NULL) message = "(an error that is no string)";
    luaL_traceback(L, L, message, 1);
    return 1;
}

/* A C function with upvalues, so that scripts call through C closures of ours too. */
static int counter(lua_State *L) {
    lua_Integer n = lua_tointeger(L, lua_upvalueindex(1)) + luaL_optinteger(L, 1, 1);
    lua_pushinteger(L, n);
    lua_copy(L, -1, lua_upvalueindex(1));
    return 1;
}

static int new_counter(lua_State *L) {
    lua_pushinteger(L, luaL_optinteger(L, 1, 0));
    lua_pushcclosure(L, counter, 1);
    return 1;
}

/* Calls its first argument and catches what it throws, through C's side of the interpreter. */
static int attempt(lua_State *L) {
    int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    lua_pushinteger(L, status);
    lua_insert(L, 1);
    return lua_gettop(L);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s SCRIPT\n", argv[0]);
        return 2;
    }
    lua_State *L = luaL_newstate();
    if (L == NULL) return 3;
    luaL_openlibs(L);
    lua_register(L, "new_counter", new_counter);
    lua_register(L, "attempt", attempt);
    lua_pushcfunction(L, with_traceback);
    int status = luaL_loadfile(L, argv[1]);
    if (status == LUA_OK) status = lua_pcall(L, 0, 0, 1);
    if (status != LUA_OK) printf("error: %s\n", lua_tostring(L, -1));
    lua_close(L);
    return status == LUA_OK ? 0 : 1;
}
