import type { FastifyInstance } from 'fastify';
import { verdict } from '../model/report/headline.ts';
import { send } from './answer-error.ts';
import type { AppOptions } from './app-options.ts';
import { pagePaths } from './page-files.ts';
import { renderPage } from './render-page.ts';

type PageRouteOptions = Pick<AppOptions, 'control' | 'page' | 'version' | 'doorOf'>;

/** Named, and not with a weight of nothing. */
const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/i;

/** The page with its verdict already in it, its files, and the token that lets it change things. */
export function addPageRoutes(app: FastifyInstance, options: PageRouteOptions): void {
  const { control, page, version, doorOf } = options;
  app.get('/', async (_request, reply) => {
    const built = await page();
    if (built === null) {
      return send(reply, 503, { code: 'not-built', message: 'the page is not built; run: npm run build' });
    }
    const status = control.status();
    const text = renderPage(built.template, { verdict: verdict(status), state: status.state, version });
    return reply.type('text/html; charset=utf-8').send(text);
  });
  for (const path of pagePaths) {
    app.get(path, async ({ headers }, reply) => {
      const file = (await page())?.files.get(path);
      if (file === undefined) return reply.callNotFound();
      reply.type(file.type).header('vary', 'accept-encoding');
      if (!takesGzip.test(headers['accept-encoding'] ?? '')) return reply.send(file.body);
      return reply.header('content-encoding', 'gzip').send(file.packed);
    });
  }
  app.get('/api/token', (request) => ({ token: doorOf(request.raw)?.pageToken ?? null }));
}
