/** What the templates of a language must provide. Values are inserted as plain text; the layout escapes them. */
import type { DisputeStep, MailContent } from '../mail-content.ts';
import type { MailKind } from '../mail-kind.ts';

/** Formats the values of one language. */
export type MailFormat = {
  money(money: { amount: string; currency: string }): string;
  date(instant: string): string;
  time(instant: string): string;
  percent(value: string): string;
  /** An amount with its symbol, as `MailContent` has it: "12.5 USDC". */
  token(text: string): string;
};

/** One mail before its layout: the same parts become HTML and text. */
export type MailText = {
  subject: string;
  title: string;
  paragraphs: readonly string[];
  /** The label of the link, if the mail leads anywhere. */
  action?: string;
  after?: readonly string[];
};

/** The texts about a dispute, by its step. */
export type DisputeTexts = Record<DisputeStep, (content: MailContent, format: MailFormat) => MailText>;

export type MailWords = {
  /** Labels of the table of facts. */
  labels: Record<
    | 'amount'
    | 'paid'
    | 'refunded'
    | 'network'
    | 'transaction'
    | 'date'
    | 'reference'
    | 'invoice'
    | 'reason'
    | 'plan'
    | 'due'
    | 'nextAttempt'
    | 'deadline'
    | 'payment'
    | 'endpoint'
    | 'key'
    | 'balance',
    string
  >;
  greeting(name: string | null): string;
  text: { [Kind in MailKind]: (content: MailContent, format: MailFormat) => MailText };
  seeInvoice: string;
  unsubscribe: string;
  /** Who sends this mail and why. */
  footer(from: string, isToMember: boolean): string;
};
