// As much of the command line of DuckDB as docs/fleet.md needs, by the package in .engines/: duckdb.mjs FILE [-noheader] [-list] -c SQL
import { createRequire } from 'node:module'

const [file, ...rest] = process.argv.slice(2)
const { DuckDBInstance } = createRequire(new URL('../../.engines/x', import.meta.url))('@duckdb/node-api')
const connection = await (await DuckDBInstance.create(file)).connect()
const answer = await connection.runAndReadAll(rest[rest.indexOf('-c') + 1])
if (rest.includes('-list'))
  for (const row of answer.getRowsJS()) process.stdout.write(`${row.map(value => String(value)).join('|')}\n`)
