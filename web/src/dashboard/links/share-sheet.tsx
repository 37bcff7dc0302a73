/** The dialog to share a payment link: its URL, a QR code, and HTML for a website. */
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { QrCode } from '../../ui/code/qr-code.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { codePng, codeSvg, LINK_ROBUSTNESS, linkCode, linkSnippet } from './link-code.ts';
import styles from './share-sheet.module.css';

type ShareSheetProps = { name: string; slug: string; url: string; onClose: () => void };

export function ShareSheet({ name, slug, url, onClose }: ShareSheetProps) {
  const { t } = useTranslation();
  const snippet = linkSnippet(name, url);
  const saveSvg = () => save(new Blob([codeSvg(linkCode(url))], { type: 'image/svg+xml' }), `${slug}.svg`);
  const savePng = async () => {
    const picture = await codePng(linkCode(url));
    if (picture) save(picture, `${slug}.png`);
  };
  return (
    <Dialog isOpen onClose={onClose} title={t('links.shareTitle', { name })} about={t('links.shareAbout')}>
      <QrCode text={url} label={t('links.qrOf', { url })} robustness={LINK_ROBUSTNESS} />
      <div className={styles.saves}>
        <Button size="small" onPress={saveSvg}>
          {t('links.saveSvg')}
        </Button>
        <Button size="small" onPress={savePng}>
          {t('links.savePng')}
        </Button>
        <ButtonLink size="small" icon="external" href={url} target="_blank" rel="noreferrer noopener">
          {t('links.preview')}
        </ButtonLink>
      </div>
      <Line name={t('links.url')} text={url} />
      <Line name={t('links.snippet')} text={snippet} />
    </Dialog>
  );
}

function Line({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <p className={styles.name}>{name}</p>
      <div className={styles.line}>
        <code>{text}</code>
        <CopyButton text={text} name={name} hasWords />
      </div>
    </div>
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
