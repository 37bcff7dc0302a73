/** Submits a text, the merchant's facts about the order, and files. A submission cannot be withdrawn, and the page says so first. */
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DisputeSubmitDocument } from '../../../generated/web/documents.ts';
import { ask, type Credential } from '../api/ask.ts';
import { FILE_BYTES, FILE_TYPES, uploadDisputeFile } from '../api/dispute-files.ts';
import { Button } from '../ui/button/button.tsx';
import { Form } from '../ui/fields/form/form.tsx';
import { TextArea } from '../ui/fields/text-area.tsx';
import { TextField } from '../ui/fields/text-field.tsx';
import { ErrorNote } from '../ui/state/error-note.tsx';
import { Note } from '../ui/state/note.tsx';
import styles from './disputes.module.css';

const texts = ['orderNumber', 'carrier', 'trackingNumber', 'trackingUrl', 'customerName', 'receivedBy'] as const;
const longTexts = ['itemDescription', 'deliveryAddress'] as const;
const times = ['orderedAt', 'shippedAt', 'deliveredAt'] as const;

type EvidenceFormProps = {
  disputeId: string;
  party: 'PAYER' | 'MERCHANT';
  credential: Credential;
  onSent: () => Promise<unknown>;
};

export function EvidenceForm(props: EvidenceFormProps) {
  const { t } = useTranslation();
  const { party } = props;
  return (
    <section className={styles.panel} aria-label={t('disputes.form.title')}>
      <h2>{t('disputes.form.title')}</h2>
      <Note title={t('disputes.form.seen')}>{t(`disputes.form.seenBy.${party}`)}</Note>
      <EntryForm {...props} />
      <FileForm {...props} />
    </section>
  );
}

/** One idempotency key for each content, so that a retry after a lost response is the same submission. */
function useKeys(): (content: string) => string {
  const keys = useRef(new Map<string, string>());
  return (content) => {
    const known = keys.current.get(content) ?? crypto.randomUUID();
    keys.current.set(content, known);
    return known;
  };
}

function EntryForm({ disputeId, party, credential, onSent }: EvidenceFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [facts, setFacts] = useState<Record<string, string>>({});
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [isSent, setSent] = useState(false);
  const keyOf = useKeys();
  const given = Object.entries(facts).filter(([, value]) => value.trim() !== '');
  const isEmpty = text.trim() === '' && given.length === 0;
  const send = async () => {
    if (isEmpty) return;
    setError(undefined);
    setSent(false);
    setBusy(true);
    const orderFacts = Object.fromEntries(
      given.map(([name, value]) => [name, times.some((time) => time === name) ? new Date(value).toISOString() : value]),
    );
    const input = {
      ...(text.trim() === '' ? {} : { text }),
      ...(given.length > 0 ? { orderFacts } : {}),
    };
    try {
      const idempotencyKey = keyOf(JSON.stringify(input));
      await ask(DisputeSubmitDocument, { id: disputeId, input }, { credential, idempotencyKey });
      setText('');
      setFacts({});
      setSent(true);
      await onSent();
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  const fact = (name: string) => ({
    name: `orderFacts.${name}`,
    label: t(`disputes.facts.${name}`),
    value: facts[name] ?? '',
    onChange: ({ target }: { target: { value: string } }) =>
      setFacts((before) => ({ ...before, [name]: target.value })),
  });
  return (
    <Form className={styles.form} onSend={send} isBusy={isBusy} isDisabled={isEmpty} error={error}>
      <TextArea
        label={t('disputes.form.text')}
        name="text"
        rows={4}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {party === 'MERCHANT' && (
        <details>
          <summary>{t('disputes.form.facts')}</summary>
          <div className={styles.pair}>
            {texts.map((name) => (
              <TextField key={name} {...fact(name)} maxLength={name === 'trackingUrl' ? 2_048 : 255} />
            ))}
            {times.map((name) => (
              <TextField key={name} type="datetime-local" {...fact(name)} />
            ))}
            {longTexts.map((name) => (
              <TextArea key={name} rows={2} maxLength={1_000} {...fact(name)} />
            ))}
          </div>
        </details>
      )}
      <div className={styles.buttons}>
        <Button
          look="primary"
          type="submit"
          isBusy={isBusy}
          isDisabled={isEmpty}
          busyWords={t('disputes.form.sending')}
        >
          {t('disputes.form.send')}
        </Button>
      </div>
      <p role="status" className={styles.soft}>
        {isSent && t('disputes.form.sent')}
      </p>
    </Form>
  );
}

function FileForm({ disputeId, credential, onSent }: EvidenceFormProps) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const [error, setError] = useState<unknown>();
  const [isSent, setSent] = useState(false);
  const keyOf = useKeys();
  const isTooLarge = file !== undefined && file.size > FILE_BYTES;
  const send = async () => {
    if (!file || isTooLarge) return;
    setError(undefined);
    setSent(false);
    try {
      const idempotencyKey = keyOf(`${file.name}/${file.size}/${file.lastModified}`);
      await uploadDisputeFile({ disputeId, credential }, { file, idempotencyKey });
      setFile(undefined);
      if (input.current) input.current.value = '';
      setSent(true);
      await onSent();
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <form className={styles.form} onSubmit={(event: FormEvent) => event.preventDefault()}>
      <TextField
        ref={input}
        type="file"
        accept={FILE_TYPES}
        className={styles.file}
        label={t('disputes.file.choose')}
        hint={t('disputes.file.limits')}
        error={isTooLarge ? t('disputes.file.tooLarge') : undefined}
        onChange={(event) => setFile(event.target.files?.[0])}
      />
      <div className={styles.buttons}>
        <Button isDisabled={!file || isTooLarge} busyWords={t('disputes.file.uploading')} onPress={send}>
          {t('disputes.file.upload')}
        </Button>
      </div>
      <p role="status" className={styles.soft}>
        {isSent && t('disputes.file.uploaded')}
      </p>
      <ErrorNote error={error} />
    </form>
  );
}
