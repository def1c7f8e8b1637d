// What is used of the library of MCP that serves, as one file of the program: its two entries share most of their modules.
export * from '../../src/call/mcp-library.ts'
