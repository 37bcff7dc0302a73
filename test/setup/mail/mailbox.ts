import { onTeardown } from '../teardown.ts';
import { type Mailbox, startMailbox } from './start-mailbox.ts';

/** A mailbox of its own for a test file, closed when the file ends. */
export async function openMailbox(): Promise<Mailbox> {
  const mailbox = await startMailbox();
  onTeardown(mailbox.close);
  return mailbox;
}
