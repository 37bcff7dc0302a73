/**
 * `npm run demo`, against a running `npm start`: pays by each of the three methods and both kinds of permit, prints each payment's timeline
 * as it arrives over graphql-ws, and checks the balances. DEMO_FILE selects another installation's file. Exits with 1 if a payment does not
 * settle or the balances do not add up.
 */
import { join } from 'node:path';
import { runDemo } from './demo/run-demo.ts';
import { readDemo } from './demo-file.ts';
import { parseLocalSettings } from './local-settings.ts';

const limitMs = 120_000;

const file = process.env.DEMO_FILE || join(parseLocalSettings(process.env).folder, 'demo.json');
const demo = readDemo(file);
if (demo) {
  try {
    const { faults } = await runDemo({ demo, print: (line) => console.log(line) }, { limitMs });
    process.exitCode = faults.length === 0 ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
} else {
  console.error(`${file} does not exist. Run "npm start" first, in another shell.`);
  process.exitCode = 1;
}
