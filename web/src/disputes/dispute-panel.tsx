/** A dispute as both sides and the arbiter see it: the disputed amount, the evidence, the outcome, and a form for evidence. */
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DisputeShownFragment } from '../../../generated/web/documents.ts';
import type { Credential } from '../api/ask.ts';
import { downloadDisputeFile } from '../api/dispute-files.ts';
import { chainOf, tokenOf } from '../settings.ts';
import { Address } from '../ui/addresses/address.tsx';
import { Amount } from '../ui/amounts/amount.tsx';
import { Button } from '../ui/button/button.tsx';
import { useFormats } from '../ui/formats/use-formats.ts';
import { saveFile } from '../ui/save-file.ts';
import { ErrorNote } from '../ui/state/error-note.tsx';
import { Skeleton } from '../ui/state/skeleton.tsx';
import { Status } from '../ui/state/status.tsx';
import { Time } from '../ui/state/time.tsx';
import { Deadline } from './deadline.tsx';
import styles from './disputes.module.css';
import { EvidenceForm } from './evidence-form.tsx';
import { ResolutionFacts } from './resolution-facts.tsx';
import { useDispute } from './use-dispute.ts';

type DisputePanelProps = {
  disputeId: string;
  credential: Credential;
  /** Null for viewers who can only read. */
  party: 'PAYER' | 'MERCHANT' | null;
  /** Shown below the evidence, for example the form for a decision. */
  children?: (dispute: DisputeShownFragment) => ReactNode;
};

export function DisputePanel({ disputeId, credential, party, children }: DisputePanelProps) {
  const query = useDispute(disputeId, credential);
  if (!query.data) {
    return query.isPending ? <Skeleton lines={5} /> : <ErrorNote error={query.error} retry={() => query.refetch()} />;
  }
  const dispute = query.data;
  return (
    <div className={styles.panel} data-dispute={dispute.status}>
      <Stakes dispute={dispute} party={party} />
      <ResolutionFacts dispute={dispute} />
      <Entries dispute={dispute} credential={credential} />
      {dispute.status === 'OPEN' && party && (
        <EvidenceForm disputeId={dispute.id} party={party} credential={credential} onSent={() => query.refetch()} />
      )}
      {children?.(dispute)}
    </div>
  );
}

function Stakes({ dispute, party }: { dispute: DisputeShownFragment; party: DisputePanelProps['party'] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { payment, terms, status } = dispute;
  const chain = payment.chainId == null ? undefined : chainOf(payment.chainId);
  const symbol = (payment.tokenKey && tokenOf(payment.tokenKey)?.symbol) || payment.tokenKey || '';
  const token =
    payment.cryptoAmount == null || payment.decimals == null
      ? undefined
      : { units: payment.cryptoAmount, decimals: payment.decimals, symbol, ...(chain ? { chain: chain.name } : {}) };
  return (
    <section aria-label={t('disputes.stakes')}>
      <p className={styles.head}>
        {status === 'OPEN' ? (
          <>
            <Status status={status} tone={party === 'MERCHANT' ? 'bad' : 'wait'} />
            <Deadline at={dispute.deadline} />
          </>
        ) : (
          // Whether the dispute is shown as won or lost depends on the viewer.
          <Status status={status} tone="quiet">
            {t(`disputes.decided.${status}`)}
          </Status>
        )}
      </p>
      <dl className={styles.facts}>
        <dt>{t('disputes.payment')}</dt>
        <dd>
          <Amount fiat={payment} token={token} />
        </dd>
        <dt>{t('disputes.to')}</dt>
        <dd>
          {payment.appName === payment.merchantName ? payment.appName : `${payment.appName}, ${payment.merchantName}`}
        </dd>
        {payment.walletAddress && (
          <>
            <dt>{t('disputes.from')}</dt>
            <dd>
              <Address
                value={payment.walletAddress}
                {...(payment.chainId == null ? {} : { chainId: payment.chainId })}
              />
            </dd>
          </>
        )}
        {terms && (
          <>
            <dt>{t('disputes.terms.timeout')}</dt>
            <dd>
              {t('disputes.terms.timeoutShare', {
                percent: formats.percent(terms.timeoutPayerBps),
                at: formats.absolute(new Date(dispute.deadline)),
              })}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

type Submission =
  | { kind: 'ENTRY'; at: string; entry: DisputeShownFragment['evidenceEntries'][number] }
  | { kind: 'FILE'; at: string; file: DisputeShownFragment['files'][number] };

/** All statements of both sides, oldest first. */
function Entries({ dispute, credential }: { dispute: DisputeShownFragment; credential: Credential }) {
  const { t } = useTranslation();
  const submissions: Submission[] = [
    ...dispute.evidenceEntries.map((entry) => ({ kind: 'ENTRY' as const, at: entry.createdAt, entry })),
    ...dispute.files.map((file) => ({ kind: 'FILE' as const, at: file.createdAt, file })),
  ].sort((left, right) => left.at.localeCompare(right.at));
  return (
    <section aria-label={t('disputes.said')}>
      <ol className={styles.entries}>
        <li className={styles.entry} data-party="PAYER">
          <Head party="PAYER" by={null} at={dispute.createdAt} what={t('disputes.opened')} />
          <p className={styles.text}>{dispute.reason ?? t('disputes.silent')}</p>
          {dispute.evidence && <p className={styles.text}>{dispute.evidence}</p>}
        </li>
        {submissions.map((one) =>
          one.kind === 'ENTRY' ? (
            <li key={one.entry.id} className={styles.entry} data-party={one.entry.party}>
              <Head party={one.entry.party} by={one.entry.submittedBy ?? null} at={one.at} />
              {one.entry.text && <p className={styles.text}>{one.entry.text}</p>}
              {one.entry.orderFacts && <OrderFacts facts={one.entry.orderFacts} />}
            </li>
          ) : (
            <li key={one.file.id} className={styles.entry} data-party={one.file.party}>
              <Head party={one.file.party} by={one.file.submittedBy ?? null} at={one.at} />
              <FileLine disputeId={dispute.id} file={one.file} credential={credential} />
            </li>
          ),
        )}
      </ol>
    </section>
  );
}

type HeadProps = { party: 'PAYER' | 'MERCHANT'; by: string | null; at: string; what?: string };

function Head({ party, by, at, what }: HeadProps) {
  const { t } = useTranslation();
  return (
    <p className={styles.head}>
      <strong>{t(`disputes.party.${party}`)}</strong>
      {what && <span className={styles.soft}>{what}</span>}
      {by && <span className={styles.soft}>{by}</span>}
      <span className={styles.soft}>
        <Time at={at} />
      </span>
    </p>
  );
}

const instants = new Set(['orderedAt', 'shippedAt', 'deliveredAt']);
const factNames = [
  ...(['orderNumber', 'orderedAt', 'itemDescription', 'customerName', 'deliveryAddress', 'carrier'] as const),
  ...(['trackingNumber', 'trackingUrl', 'shippedAt', 'deliveredAt', 'receivedBy'] as const),
];

type Facts = NonNullable<DisputeShownFragment['evidenceEntries'][number]['orderFacts']>;

function OrderFacts({ facts }: { facts: Facts }) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <dl className={styles.facts}>
      {factNames.flatMap((name) => {
        const fact = facts[name];
        if (!fact) return [];
        return [
          <dt key={name}>{t(`disputes.facts.${name}`)}</dt>,
          // A URL that a side of the dispute has written is not rendered as a link.
          <dd key={`${name}-value`}>{instants.has(name) ? formats.absolute(new Date(fact)) : fact}</dd>,
        ];
      })}
    </dl>
  );
}

type FileLineProps = { disputeId: string; file: DisputeShownFragment['files'][number]; credential: Credential };

function FileLine({ disputeId, file, credential }: FileLineProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const [fault, setFault] = useState<unknown>();
  const download = async () => {
    setFault(undefined);
    try {
      saveFile([await downloadDisputeFile({ disputeId, credential }, file.id)], {
        name: file.name,
        type: file.contentType,
      });
    } catch (error) {
      setFault(error);
    }
  };
  const size = t('disputes.file.size', {
    count: Math.ceil(file.sizeBytes / 1024),
    size: formats.count(Math.ceil(file.sizeBytes / 1024)),
  });
  return (
    <>
      <p className={styles.text}>
        {file.name} <span className={styles.soft}>{size}</span>
      </p>
      <div className={styles.buttons}>
        <Button
          size="small"
          icon="down"
          aria-label={t('disputes.file.downloadOf', { name: file.name })}
          onPress={download}
        >
          {t('disputes.file.download')}
        </Button>
      </div>
      <ErrorNote error={fault} />
    </>
  );
}
