import { onTeardown } from '../teardown.ts';
import { type Mailbox, startMailbox } from './start-mailbox.ts';

/** A separate mailbox for one test file, closed when the file ends. */
export async function openMailbox(): Promise<Mailbox> {
  const mailbox = await startMailbox();
  onTeardown(mailbox.close);
  return mailbox;
}
