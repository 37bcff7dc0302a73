/** One invoice: its lines, its status, and its actions. */
import { Decimal } from 'decimal.js';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'wouter';
import {
  InvoiceOpenDocument,
  InvoicePageDocument,
  type InvoicePageQuery,
  InvoiceSendDocument,
  InvoiceVoidDocument,
} from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { PaymentStatus } from '../payments/payment-status.tsx';
import { ConfirmDialog } from '../resources/confirm-dialog.tsx';
import { customerName } from '../resources/customer-name.ts';
import { Facts } from '../resources/facts.tsx';
import styles from '../resources/resources.module.css';
import { useTaxWords } from '../resources/use-tax-words.ts';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { Panel } from '../shell/panel.tsx';
import { AttemptList } from '../subscriptions/attempt-list.tsx';

type Invoice = InvoicePageQuery['invoice'];
type Doing = 'open' | 'send' | 'void';

export function InvoicePage() {
  const { id = '' } = useParams<{ id: string }>();
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const [doing, setDoing] = useState<Doing>();
  const { data, error, refetch } = useAsk(InvoicePageDocument, { id });
  const open = useApiMutation(InvoiceOpenDocument);
  const send = useApiMutation(InvoiceSendDocument);
  const cancel = useApiMutation(InvoiceVoidDocument);
  const invoice = data?.invoice;
  const back = { href: '/invoices', words: t('invoices.title') };
  if (!invoice) {
    return (
      <PageFrame title={t('invoices.one')} back={back}>
        {error ? <ErrorNote error={error} retry={refetch} /> : <Skeleton lines={6} />}
      </PageFrame>
    );
  }
  const { status, customerAccount, printUrl } = invoice;
  const isDue = status === 'OPEN' || status === 'PAST_DUE';
  const common = { variables: { id }, onClose: () => setDoing(undefined) };
  return (
    <PageFrame
      title={invoice.invoiceNumber ?? t('invoices.draft')}
      beside={<Status status={status} />}
      back={back}
      actions={
        <>
          {printUrl && (
            <ButtonLink icon="external" href={printUrl} target="_blank" rel="noreferrer noopener">
              {t('invoices.print')}
            </ButtonLink>
          )}
          {mayWrite && (isDue || status === 'DRAFT') && (
            <Button look="danger" onPress={() => setDoing('void')}>
              {t('invoices.void')}
            </Button>
          )}
          {mayWrite && isDue && (
            <Button look="primary" onPress={() => setDoing('send')}>
              {t('invoices.send')}
            </Button>
          )}
          {mayWrite && status === 'DRAFT' && (
            <Button look="primary" onPress={() => setDoing('open')}>
              {t('invoices.open')}
            </Button>
          )}
        </>
      }
    >
      {invoice.lastError && (
        <Note tone="bad" title={t('invoices.lastError')}>
          {t(`subscriptions.cause.${invoice.lastError.code}`, { defaultValue: invoice.lastError.message })}
        </Note>
      )}
      <div className={styles.columns}>
        <div className={styles.column}>
          <Panel title={t('invoices.lines')}>
            <Lines invoice={invoice} />
          </Panel>
          {invoice.attempts.length > 0 && (
            <Panel title={t('subscriptions.attempts')}>
              <AttemptList attempts={invoice.attempts} />
            </Panel>
          )}
        </div>
        <InvoiceFacts invoice={invoice} />
      </div>
      {doing === 'open' && (
        <ConfirmDialog
          {...common}
          title={t('invoices.openTitle')}
          about={t('invoices.openAbout')}
          action={t('invoices.open')}
          done={t('invoices.opened')}
          mutation={open}
        />
      )}
      {doing === 'send' && (
        <ConfirmDialog
          {...common}
          title={t('invoices.sendTitle')}
          about={
            customerAccount.email
              ? t('invoices.sendAbout', { email: customerAccount.email })
              : t('invoices.sendWithoutEmail')
          }
          action={t('invoices.sendAction')}
          done={t('invoices.sent')}
          mutation={send}
        />
      )}
      {doing === 'void' && (
        <ConfirmDialog
          {...common}
          title={t('invoices.voidTitle')}
          about={t('invoices.voidAbout')}
          action={t('invoices.voidAction')}
          done={t('invoices.voided')}
          isDanger
          mutation={cancel}
        />
      )}
    </PageFrame>
  );
}

function Lines({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const taxWords = useTaxWords();
  const { currency } = invoice;
  return (
    <>
      <Table
        caption={t('invoices.lines')}
        rows={invoice.items}
        rowKey={(item) => item.id}
        columns={[
          {
            key: 'what',
            head: t('invoices.what'),
            cell: (item) => (
              <span className={styles.stack}>
                {item.description}
                {item.taxRate && <span className={styles.quiet}>{taxWords(item.taxRate)}</span>}
              </span>
            ),
          },
          {
            key: 'quantity',
            head: t('invoices.quantity'),
            align: 'end',
            cell: (item) => formats.count(item.quantity),
          },
          {
            key: 'amount',
            head: t('invoices.unitPrice'),
            align: 'end',
            cell: (item) => formats.fiat(item.amount, currency),
          },
          {
            key: 'tax',
            head: t('invoices.tax'),
            align: 'end',
            isWide: true,
            cell: (item) => formats.fiat(item.taxAmount, currency),
          },
        ]}
      />
      <Facts
        facts={[
          {
            key: 'discount',
            name: t('invoices.discount'),
            value: new Decimal(invoice.discountAmount).isZero()
              ? null
              : `−${formats.fiat(invoice.discountAmount, currency)}`,
          },
          { key: 'net', name: t('invoices.subtotal'), value: formats.fiat(invoice.subtotal, currency) },
          { key: 'tax', name: t('invoices.tax'), value: formats.fiat(invoice.taxAmount, currency) },
          { key: 'total', name: t('invoices.total'), value: <strong>{formats.fiat(invoice.total, currency)}</strong> },
        ]}
      />
    </>
  );
}

function InvoiceFacts({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { customerAccount, paymentIntent, printUrl } = invoice;
  const day = (at: string | null | undefined) => at && formats.day(new Date(at));
  const dayUtc = (at: string) => formats.dayUtc(new Date(at));
  return (
    <Panel title={t('catalog.about')}>
      <Facts
        facts={[
          {
            key: 'customer',
            name: t('invoices.customer'),
            value: <Link href={`/customers/${customerAccount.id}`}>{customerName(customerAccount)}</Link>,
          },
          { key: 'due', name: t('invoices.due'), value: invoice.dueDate && dayUtc(invoice.dueDate) },
          {
            key: 'period',
            name: t('invoices.period'),
            value:
              invoice.periodStart &&
              invoice.periodEnd &&
              `${dayUtc(invoice.periodStart)} – ${dayUtc(invoice.periodEnd)}`,
          },
          {
            key: 'subscription',
            name: t('subscriptions.one'),
            value: invoice.subscriptionId && (
              <Link href={`/subscriptions/${invoice.subscriptionId}`}>{t('invoices.ofSubscription')}</Link>
            ),
          },
          {
            key: 'payment',
            name: t('invoices.payment'),
            value: paymentIntent && (
              <Link href={`/payments/${paymentIntent.id}`}>
                <PaymentStatus status={paymentIntent.status} flags={paymentIntent.flags} />
              </Link>
            ),
          },
          { key: 'paid', name: t('invoices.paidAt'), value: day(invoice.paidAt) },
          { key: 'voided', name: t('invoices.voidedAt'), value: day(invoice.voidedAt) },
          { key: 'memo', name: t('invoices.memo'), value: invoice.memo },
          { key: 'created', name: t('catalog.created'), value: day(invoice.createdAt) },
          {
            key: 'link',
            name: t('invoices.payLink'),
            value: printUrl && (
              <span className={styles.stack}>
                <CopyButton text={printUrl} name={t('invoices.payLink')} hasWords />
                <span className={styles.quiet}>{t('invoices.payLinkHint')}</span>
              </span>
            ),
          },
        ]}
      />
    </Panel>
  );
}
