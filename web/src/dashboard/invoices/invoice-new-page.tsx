/** Creates an invoice: its customer, its lines with their tax, and its total. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'wouter';
import { InvoiceCreateDocument, ResourceTaxRatesDocument } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { useFaults } from '../../ui/fields/form/use-faults.ts';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { CurrencyChoice } from '../resources/currency-choice.tsx';
import { CustomerChoice } from '../resources/customer-choice.tsx';
import { Facts } from '../resources/facts.tsx';
import styles from '../resources/resources.module.css';
import { TaxChoice } from '../resources/tax-choice.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PayoutNote } from '../setup/payout-note.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { Panel } from '../shell/panel.tsx';
import { InvoiceLines } from './invoice-lines.tsx';
import { type InvoiceValues, invoiceInput, invoiceTotals, newLine } from './invoice-values.ts';

export function InvoiceNewPage() {
  const { t } = useTranslation();
  const formats = useFormats();
  const { app } = useDashboard();
  const [, go] = useLocation();
  const [search] = useSearchParams();
  const showToast = useToasts();
  const [values, setValues] = useState<InvoiceValues>(() => ({
    customerAccountId: search.get('customer') ?? '',
    currency: 'USD',
    dueDate: '',
    memo: '',
    taxRateId: '',
    lines: [newLine()],
  }));
  const create = useApiMutation(InvoiceCreateDocument);
  const { data } = useAsk(ResourceTaxRatesDocument, {});
  const lineParams = values.lines.flatMap((_line, index) =>
    ['description', 'amount', 'quantity', 'taxRateId'].map((name) => `items[${index}].${name}`),
  );
  const faults = useFaults(create.error, [
    'customerAccountId',
    'currency',
    'dueDate',
    'memo',
    'taxRateId',
    'items',
    ...lineParams,
  ]);
  const set = (part: Partial<InvoiceValues>) => setValues((before) => ({ ...before, ...part }));
  const totals = invoiceTotals(values, data?.taxRates ?? []);
  const send = () => {
    create.mutate(
      { input: invoiceInput(values, app.id) },
      {
        onSuccess: ({ createInvoice }) => {
          showToast({ title: t('invoices.created') });
          go(`/invoices/${createInvoice.id}`);
        },
      },
    );
  };
  const actions = (
    <div className={styles.inline}>
      <Button type="submit" look="primary" isBusy={create.isPending}>
        {t('invoices.create')}
      </Button>
      <Button onPress={() => go('/invoices')}>{t('everywhere.cancel')}</Button>
    </div>
  );
  return (
    <PageFrame
      title={t('invoices.new')}
      about={t('invoices.newAbout')}
      back={{ href: '/invoices', words: t('invoices.title') }}
    >
      <Form onSend={send} isBusy={create.isPending} error={faults.rest} className={styles.form} actions={actions}>
        <PayoutNote />
        <Panel title={t('invoices.forWhom')}>
          <div className={styles.form}>
            <CustomerChoice
              value={values.customerAccountId}
              onChange={(customerAccountId) => set({ customerAccountId })}
              error={faults.at('customerAccountId')}
            />
            <div className={styles.pair}>
              <CurrencyChoice
                value={values.currency}
                onChange={(currency) => set({ currency })}
                error={faults.at('currency')}
              />
              <TextField
                label={t('invoices.due')}
                name="dueDate"
                type="date"
                hint={t('invoices.dueHint')}
                value={values.dueDate}
                onChange={(event) => set({ dueDate: event.target.value })}
                error={faults.at('dueDate')}
              />
              <TaxChoice
                label={t('invoices.taxForAll')}
                value={values.taxRateId}
                onChange={(taxRateId) => set({ taxRateId })}
                error={faults.at('taxRateId')}
              />
            </div>
          </div>
        </Panel>
        <Panel title={t('invoices.lines')}>
          <InvoiceLines lines={values.lines} onChange={(lines) => set({ lines })} faultAt={faults.at} />
        </Panel>
        <Panel title={t('invoices.total')}>
          {totals ? (
            <Facts
              facts={[
                { key: 'net', name: t('invoices.subtotal'), value: formats.fiat(totals.subtotal, values.currency) },
                { key: 'tax', name: t('invoices.tax'), value: formats.fiat(totals.taxAmount, values.currency) },
                {
                  key: 'total',
                  name: t('invoices.total'),
                  value: <strong>{formats.fiat(totals.total, values.currency)}</strong>,
                },
              ]}
            />
          ) : (
            <p className={styles.hint}>{t('invoices.noTotal')}</p>
          )}
          <TextArea
            label={t('invoices.memo')}
            name="memo"
            hint={t('invoices.memoHint')}
            value={values.memo}
            maxLength={2000}
            onChange={(event) => set({ memo: event.target.value })}
            error={faults.at('memo')}
          />
        </Panel>
      </Form>
    </PageFrame>
  );
}
