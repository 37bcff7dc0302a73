/** Moves a subscription to another price, with a preview of the next invoice. */
import { Decimal } from 'decimal.js';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  SubscriptionChangePlanDocument,
  type SubscriptionFactsFragment,
  SubscriptionPlanChangeDocument,
} from '../../../../generated/web/documents.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { FormDialog } from '../resources/form-dialog.tsx';
import { type ChosenPrice, PriceChoice } from '../resources/price-choice.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useAsk } from '../session/use-ask.ts';
import { type PlanChange, planChangeWords } from './plan-change-words.ts';
import styles from './subscriptions.module.css';

type ChangePlanDialogProps = { subscription: SubscriptionFactsFragment; onClose: () => void };

export function ChangePlanDialog({ subscription, onClose }: ChangePlanDialogProps) {
  const { t } = useTranslation();
  const showToast = useToasts();
  const { id, productPlanPrice: current, nextPlanPrice } = subscription;
  const [price, setPrice] = useState<ChosenPrice>();
  const change = useApiMutation(SubscriptionChangePlanDocument);
  const { data, error, isFetching } = useAsk(
    SubscriptionPlanChangeDocument,
    { id, productPlanPriceId: price?.productPlanPriceId ?? '' },
    { isEnabled: price !== undefined },
  );
  const preview = price && !isFetching ? data?.subscription.planChange : undefined;
  const send = () => {
    if (!price) return;
    change.mutate(
      { id, productPlanPriceId: price.productPlanPriceId },
      {
        onSuccess: () => {
          showToast({ title: t('subscriptions.changed') });
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title={t('subscriptions.changePlan')}
      about={t('subscriptions.changePlanAbout')}
      action={t('subscriptions.changePlanAction')}
      onClose={onClose}
      onSend={send}
      isBusy={change.isPending}
      isDisabled={!preview}
      error={change.error}
    >
      <PriceChoice
        planType="SUBSCRIPTION"
        value={price?.productPlanPriceId ?? ''}
        onChange={setPrice}
        none={t('catalog.choice.choosePrice')}
        // While a change is scheduled, the current price can be selected, which cancels the change.
        {...(nextPlanPrice ? {} : { without: current.id })}
      />
      {price && isFetching && <Skeleton lines={3} />}
      {price && !isFetching && <ErrorNote error={error} title={t('subscriptions.changeRefused')} />}
      {preview && <Preview preview={preview} />}
    </FormDialog>
  );
}

function Preview({ preview }: { preview: PlanChange }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { currency } = preview;
  return (
    <div className={styles.preview} data-preview="">
      {planChangeWords(preview).map((sentence) => (
        <p key={sentence.key}>
          {t(`subscriptions.change.${sentence.key}`, {
            day: 'at' in sentence ? formats.dayUtc(new Date(sentence.at)) : '',
            amount: 'amount' in sentence ? formats.fiat(sentence.amount, currency) : '',
          })}
        </p>
      ))}
      <Table
        caption={t('subscriptions.nextInvoice')}
        rows={[
          ...preview.lines.map((line, index) => ({ ...line, key: String(index) })),
          ...(new Decimal(preview.discountAmount).isZero()
            ? []
            : [
                {
                  key: 'discount',
                  description: t('invoices.discount'),
                  amount: `-${preview.discountAmount}`,
                  taxAmount: '0',
                },
              ]),
          {
            key: 'tax',
            description: t('invoices.tax'),
            amount: preview.taxAmount,
            taxAmount: '0',
          },
          {
            key: 'total',
            description: t('subscriptions.nextInvoice'),
            amount: preview.total,
            taxAmount: '0',
          },
        ]}
        rowKey={(line) => line.key}
        columns={[
          { key: 'what', head: t('invoices.what'), cell: (line) => line.description },
          {
            key: 'amount',
            head: t('catalog.price.amount'),
            align: 'end',
            cell: (line) => formats.fiat(line.amount, currency),
          },
        ]}
      />
    </div>
  );
}
