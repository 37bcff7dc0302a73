/** Payment links: the list, with what each takes and how often it was used. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { LinkListDocument } from '../../../../generated/web/documents.ts';
import { settings } from '../../settings.ts';
import { Button, buttonClass } from '../../ui/button/button.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import { FilterSelect } from '../resources/filter-select.tsx';
import { ResourceList } from '../resources/resource-list.tsx';
import styles from '../resources/resources.module.css';
import { useAskPages } from '../resources/use-ask-pages.ts';
import { useFilter } from '../resources/use-filter.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { LinkForm } from './link-form.tsx';
import { useLinkPrice } from './use-link-price.ts';

export function LinksPage() {
  const { t } = useTranslation();
  const formats = useFormats();
  const linkPrice = useLinkPrice();
  const { app, mayWrite } = useDashboard();
  const [state, setState] = useFilter('state', ['active', 'inactive'] as const);
  const [isCreating, setCreating] = useState(false);
  const list = useAskPages(
    LinkListDocument,
    { appId: app.id, ...(state ? { isActive: state === 'active' } : {}) },
    (result) => result.paymentLinks,
  );
  return (
    <PageFrame
      title={t('links.title')}
      about={t('links.about')}
      actions={
        <>
          <Link href="/links/coupons" className={buttonClass({})}>
            {t('links.coupon.title')}
          </Link>
          {mayWrite && (
            <Button look="primary" icon="plus" onPress={() => setCreating(true)}>
              {t('links.new')}
            </Button>
          )}
        </>
      }
    >
      <ResourceList
        caption={t('links.title')}
        {...list}
        wayOf={(link) => `/links/${link.id}`}
        isFiltered={state !== undefined}
        filters={
          <FilterSelect
            label={t('catalog.state')}
            all={t('links.allStates')}
            value={state}
            onChange={setState}
            options={[
              { value: 'active', words: t('links.active') },
              { value: 'inactive', words: t('links.inactive') },
            ]}
          />
        }
        empty={{
          title: t('links.empty'),
          about: t('links.emptyMore'),
          call: `curl ${settings.publicUrl}/payment-links -H "x-api-key: $KEY" -H 'content-type: application/json' \\\n  -d '{"appId":"${app.id}","name":"Coffee","slug":"coffee","amount":"4.50"}'`,
        }}
        columns={[
          {
            key: 'name',
            head: t('catalog.name'),
            cell: (link) => (
              <span className={styles.stack}>
                {link.name}
                <span className={styles.quiet}>/link/{link.slug}</span>
              </span>
            ),
          },
          { key: 'price', head: t('links.takes'), cell: linkPrice },
          {
            key: 'used',
            head: t('links.used'),
            align: 'end',
            isWide: true,
            cell: (link) => formats.count(link.usageCount),
          },
          {
            key: 'state',
            head: t('catalog.state'),
            cell: (link) =>
              link.isActive ? (
                <Status status="ACTIVE">{t('links.active')}</Status>
              ) : (
                <Status status="INACTIVE">{t('links.inactive')}</Status>
              ),
          },
          { key: 'created', head: t('catalog.created'), isWide: true, cell: (link) => <Time at={link.createdAt} /> },
          {
            key: 'copy',
            head: '',
            align: 'end',
            cell: (link) => <CopyButton text={link.paymentUrl} name={t('links.url')} />,
          },
        ]}
      />
      {isCreating && <LinkForm onClose={() => setCreating(false)} />}
    </PageFrame>
  );
}
