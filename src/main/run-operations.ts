import type { Config } from '../config.ts';
import { operate } from '../operations/operate.ts';
import { verify } from '../operations/verify.ts';
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

/** Compares what is told with what the chains say. Answers the exit code. */
export async function runVerification(config: Config, args: readonly string[]): Promise<number> {
  const floor = openFloor(config, 'verify');
  try {
    return await verify({ ...floor, print: (line) => console.log(line) }, { args });
  } finally {
    await floor.database.$disconnect();
  }
}
