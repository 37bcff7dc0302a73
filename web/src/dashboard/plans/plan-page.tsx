/** One plan: its details and its prices. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'wouter';
import {
  PlanPageDocument,
  PlanPriceDeleteDocument,
  PlanPriceUpdateDocument,
  PlanUpdateDocument,
} from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import { Facts } from '../resources/facts.tsx';
import { useTaxWords } from '../resources/use-tax-words.ts';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { Panel } from '../shell/panel.tsx';
import { PlanDialogs, type PlanDoing } from './plan-dialogs.tsx';
import { PlanPrices } from './plan-prices.tsx';

export function PlanPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const taxWords = useTaxWords();
  const [doing, setDoing] = useState<PlanDoing>();
  const { data, error, refetch } = useAsk(PlanPageDocument, { id });
  const update = useApiMutation(PlanUpdateDocument);
  const updatePrice = useApiMutation(PlanPriceUpdateDocument);
  const deletePrice = useApiMutation(PlanPriceDeleteDocument);
  const plan = data?.productPlan;
  const back = { href: '/plans', words: t('catalog.plan.title') };
  if (!plan) {
    return (
      <PageFrame title={t('catalog.plan.one')} back={back}>
        {error ? <ErrorNote error={error} retry={refetch} /> : <Skeleton lines={6} />}
      </PageFrame>
    );
  }
  return (
    <PageFrame
      title={plan.name}
      back={back}
      beside={
        plan.isActive ? (
          <Status status="ACTIVE">{t('catalog.plan.sold')}</Status>
        ) : (
          <Status status="INACTIVE">{t('catalog.archived')}</Status>
        )
      }
      actions={
        mayWrite && (
          <>
            <Button onPress={() => setDoing({ what: 'edit' })}>{t('catalog.edit')}</Button>
            <Menu
              trigger={<Button icon="dots" aria-label={t('catalog.actionsOf', { name: plan.name })} />}
              entries={[
                plan.isActive
                  ? {
                      key: 'archive',
                      words: t('catalog.archive'),
                      isDanger: true,
                      onSelect: () => setDoing({ what: 'archive' }),
                    }
                  : {
                      key: 'back',
                      words: t('catalog.bringBack'),
                      onSelect: () => update.mutate({ id, input: { isActive: true } }),
                    },
              ]}
            />
          </>
        )
      }
    >
      <Panel
        title={t('catalog.price.plural')}
        actions={
          mayWrite && (
            <Button size="small" icon="plus" onPress={() => setDoing({ what: 'addPrice' })}>
              {t('catalog.price.new')}
            </Button>
          )
        }
      >
        <PlanPrices
          prices={plan.prices}
          mayWrite={mayWrite}
          onEdit={(price) => setDoing({ what: 'editPrice', price })}
          onDefault={(price) =>
            updatePrice.mutate({ productPlanId: id, priceId: price.id, input: { isDefault: true } })
          }
          onArchive={(price) => setDoing({ what: 'archivePrice', price })}
          onRestore={(price) => updatePrice.mutate({ productPlanId: id, priceId: price.id, input: { isActive: true } })}
          onDelete={(price) => setDoing({ what: 'deletePrice', price })}
        />
        <ErrorNote error={doing ? undefined : (updatePrice.error ?? update.error)} />
      </Panel>
      <Panel title={t('catalog.about')}>
        {plan.proxiedImageUrl && <img src={plan.proxiedImageUrl} alt="" width={96} height={96} />}
        <Facts
          facts={[
            { key: 'description', name: t('catalog.description'), value: plan.description },
            { key: 'type', name: t('catalog.plan.type'), value: t(`catalog.plan.${plan.planType}`) },
            {
              key: 'tax',
              name: t('catalog.tax.choice'),
              value: plan.taxRate ? <Link href="/plans/taxes">{taxWords(plan.taxRate)}</Link> : t('catalog.tax.none'),
            },
            { key: 'created', name: t('catalog.created'), value: <Time at={plan.createdAt} /> },
            {
              key: 'id',
              name: t('catalog.id'),
              value: (
                <>
                  <code>{plan.id}</code> <CopyButton text={plan.id} name={t('catalog.id')} />
                </>
              ),
            },
          ]}
        />
      </Panel>
      {doing && (
        <PlanDialogs
          plan={plan}
          doing={doing}
          mutations={{ update, updatePrice, deletePrice }}
          onClose={() => setDoing(undefined)}
        />
      )}
    </PageFrame>
  );
}
