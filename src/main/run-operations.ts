import type { Config } from '../config.ts';
import { operate } from '../operations/operate.ts';
import { openFloor } from './open-world.ts';

/** One command of an operator, to the end. Answers the exit code. */
export async function runOperations(config: Config, args: readonly string[]): Promise<number> {
  const floor = openFloor(config, 'ops');
  try {
    return await operate(
      { ...floor, print: (text) => console.log(text), complain: (text) => console.error(text) },
      args,
    );
  } finally {
    await floor.database.$disconnect();
  }
}
