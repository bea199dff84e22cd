#compdef siteatlas
# Completion of siteatlas for zsh.
_siteatlas() {
  local -a commands=(
    'ls:list the pages of a site, while it is being read'
    'tree:show the sitemaps of a site as a tree, without their pages'
    'find:say where the sitemaps of a site are and how each was found'
    'stats:numbers and pictures\: sections, last modified, languages, formats, issues'
    'sync:tell what was added, changed or removed since the last time'
    'watch:sync sites again and again, and hand on what changed'
    'diff:tell what is different between two snapshots'
    'snapshot:show what a snapshot remembers, or write its pages in any format'
    'parse:read sitemaps and feeds from files or stdin, without the network'
    'robots:show what robots.txt says'
    'completion:print the completion script for bash, zsh or fish'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
      ls)
        _arguments \
        --include'[only pages that match\: '\''/blog/*'\'', '\''*.html'\'']:value: ' \
        --exclude'[no pages that match\: '\''*.pdf'\'']:value: ' \
        --include-sitemap'[only sitemaps that match, and what these list\: '\''*news*'\'']:value: ' \
        --exclude-sitemap'[do not read sitemaps that match]:value: ' \
        --since'[only pages that changed since\: 2026-11-01, 7d; none without a date]:value: ' \
        --kind'[only pages with news, image or video data, or from a feed]:value:(news image video feed)' \
        --lang'[only pages in these languages\: de,fr (from news and hreflang)]:value: ' \
        --limit'[stop after N pages]:value: ' \
        --sample'[N pages of all, chosen by their URL\: the same ones each time]:value: ' \
        --stratify'[spread the sample evenly over sections (path) or sitemaps (sitemap)]:value:(path sitemap)' \
        --unique'[each URL once, though several sitemaps list it; remembers all of them]' \
        --rewrite-origin'[put this origin in place of each page'\''s own]:value: ' \
        {-u,--strip-url}'[leave the given URL out of each URL]' \
        {-f,--format}'[auto (a listing on a terminal, one URL per line in a pipe), urls, ndjson, json, csv, tsv, tree, parquet, sqlite (default\: auto)]:value:(auto urls ndjson json csv tsv tree parquet sqlite)' \
        {-o,--output}'[write to this file; its name says the format (.txt, .json, for pages .csv …)]:file:_files' \
        --force'[overwrite the file if it exists, once the new one is whole]' \
        --fields'[only these fields\: url,lastmod,title]:value: ' \
        --csv-raw'[leave what a spreadsheet would take for a formula as it is in csv and tsv]' \
        --ordered'[pages in the order in which the site declares them; holds them all until the end]' \
        --fail-on-partial'[exit with 4 if a sitemap failed or was cut]' \
        --json'[JSON\: one object per line where it is a list]' \
        --no-robots'[do not read robots.txt]' \
        --known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]' \
        --known-path'[try this path, too]:value: ' \
        --homepage-links'[look for sitemaps that the homepage names\: always, never, or when-empty\: when there is no page so far (default\: when-empty; of find\: always)]:value:(always when-empty never)' \
        --respect-robots'[request nothing that robots.txt disallows (RFC 9309)]' \
        --no-normalize'[start at the URL as it is, not at the root of its site]' \
        --cross-host'[sitemaps on other hosts\: follow, same-site (same registrable domain), none (default\: follow)]:value:(follow same-site none)' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public (to cloud metadata never)]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
        --https-only'[request nothing over plain http]' \
        --concurrency'[requests at once to one host (default\: 2)]:value: ' \
        --delay'[from one request to the next, for each host (default\: 0)]:value: ' \
        --crawl-delay'[wait as the Crawl-delay of robots.txt asks]' \
        {-j,--jobs}'[sites read at once (default\: 8)]:value: ' \
        --retries'[further tries of a request that may pass (default\: 2)]:value: ' \
        --backoff'[longest first wait before a further try (default\: 1s)]:value: ' \
        --timeout'[for one request with its body (default\: 5m)]:value: ' \
        --headers-timeout'[from the request to the end of the headers (default\: 30s)]:value: ' \
        --idle-timeout'[between two pieces of a body (default\: 30s)]:value: ' \
        --min-speed'[slower bodies are given up, per second (default\: 1KiB)]:value: ' \
        --deadline'[for one site (default\: 1h)]:value: ' \
        --max-pages'[pages of a site (default\: none)]:value: ' \
        --max-sitemaps'[sitemaps requested (default\: 50,000)]:value: ' \
        --max-depth'[level of the deepest sitemap; robots.txt is level 0 (default\: 11)]:value: ' \
        --max-indexes'[sitemaps that list sitemaps (default\: 500)]:value: ' \
        --max-children'[sitemaps of one index (default\: 50,000)]:value: ' \
        --max-robots-sitemaps'[Sitemap lines of robots.txt (default\: 5,000)]:value: ' \
        --max-barren-children'[sitemaps of one index in a row that give nothing (default\: 200)]:value: ' \
        --max-foreign-hosts'[hosts of other sites (default\: 10)]:value: ' \
        --max-pages-per-sitemap'[pages of one sitemap (default\: 1,000,000)]:value: ' \
        --max-total-bytes'[on the wire, all sitemaps of a site (default\: 10GiB)]:value: ' \
        --max-total-decoded-bytes'[decompressed, all sitemaps of a site (default\: 40GiB)]:value: ' \
        --max-bytes'[on the wire, one sitemap (default\: 100MiB)]:value: ' \
        --max-decoded-bytes'[decompressed, one sitemap (default\: 100MiB)]:value: ' \
        --max-compression-ratio'[bytes decompressed for each on the wire (default\: 1,000)]:value: ' \
        --max-cpu'[to parse one sitemap (default\: 10s)]:value: ' \
        --max-redirects'[of one request (default\: 10)]:value: ' \
        --max-retry-after'[longest Retry-After that is waited for (default\: 2m)]:value: ' \
        --max-crawl-delay'[longest Crawl-delay that is waited for (default\: 30s)]:value: ' \
        --max-element-depth'[elements inside each other (default\: 64)]:value: ' \
        --max-attributes'[attributes of a tag (default\: 256)]:value: ' \
        --max-namespaces'[namespaces that a tag declares (default\: 64)]:value: ' \
        --max-name-bytes'[name of an element or an attribute (default\: 1KiB)]:value: ' \
        --max-token-bytes'[a tag, a value or a line of text (default\: 64KiB)]:value: ' \
        --max-text-length'[characters of a title or another text; the rest is cut off (default\: 4,096)]:value: ' \
        --max-url-length'[characters of a URL (default\: 8,192)]:value: ' \
        --max-images'[images of a page (default\: 1,000)]:value: ' \
        --max-videos'[videos of a page (default\: 100)]:value: ' \
        --max-alternates'[alternates of a page (default\: 1,000)]:value: ' \
        --max-gzip-members'[members of a gzip file (default\: 1,000)]:value: ' \
        --max-compression-layers'[gzip in gzip (default\: 3)]:value: ' \
        --max-issues'[issues that are kept of a document, of one code a tenth (default\: 100)]:value: ' \
        --max-robots-bytes'[of robots.txt, as far as rules are read (default\: 500KiB)]:value: ' \
        --max-robots-line-bytes'[a line of robots.txt (default\: 16664)]:value: ' \
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else each 10 s), plain, json or none (default\: auto)]:value:(auto plain json none)' \
        --color'[auto, always, never (default\: auto)]:value:(auto always never)' \
        --log-file'[write everything that happens to this file]:file:_files' \
        --config'[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      tree)
        _arguments \
        --include-sitemap'[only sitemaps that match, and what these list\: '\''*news*'\'']:value: ' \
        --exclude-sitemap'[do not read sitemaps that match]:value: ' \
        --json'[JSON\: one object per line where it is a list]' \
        {-o,--output}'[write to this file; its name says the format (.txt, .json, for pages .csv …)]:file:_files' \
        --force'[overwrite the file if it exists, once the new one is whole]' \
        --fail-on-partial'[exit with 4 if a sitemap failed or was cut]' \
        --no-robots'[do not read robots.txt]' \
        --known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]' \
        --known-path'[try this path, too]:value: ' \
        --homepage-links'[look for sitemaps that the homepage names\: always, never, or when-empty\: when there is no page so far (default\: when-empty; of find\: always)]:value:(always when-empty never)' \
        --respect-robots'[request nothing that robots.txt disallows (RFC 9309)]' \
        --no-normalize'[start at the URL as it is, not at the root of its site]' \
        --cross-host'[sitemaps on other hosts\: follow, same-site (same registrable domain), none (default\: follow)]:value:(follow same-site none)' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public (to cloud metadata never)]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
        --https-only'[request nothing over plain http]' \
        --concurrency'[requests at once to one host (default\: 2)]:value: ' \
        --delay'[from one request to the next, for each host (default\: 0)]:value: ' \
        --crawl-delay'[wait as the Crawl-delay of robots.txt asks]' \
        --retries'[further tries of a request that may pass (default\: 2)]:value: ' \
        --backoff'[longest first wait before a further try (default\: 1s)]:value: ' \
        --timeout'[for one request with its body (default\: 5m)]:value: ' \
        --headers-timeout'[from the request to the end of the headers (default\: 30s)]:value: ' \
        --idle-timeout'[between two pieces of a body (default\: 30s)]:value: ' \
        --min-speed'[slower bodies are given up, per second (default\: 1KiB)]:value: ' \
        --deadline'[for one site (default\: 1h)]:value: ' \
        --max-pages'[pages of a site (default\: none)]:value: ' \
        --max-sitemaps'[sitemaps requested (default\: 50,000)]:value: ' \
        --max-depth'[level of the deepest sitemap; robots.txt is level 0 (default\: 11)]:value: ' \
        --max-indexes'[sitemaps that list sitemaps (default\: 500)]:value: ' \
        --max-children'[sitemaps of one index (default\: 50,000)]:value: ' \
        --max-robots-sitemaps'[Sitemap lines of robots.txt (default\: 5,000)]:value: ' \
        --max-barren-children'[sitemaps of one index in a row that give nothing (default\: 200)]:value: ' \
        --max-foreign-hosts'[hosts of other sites (default\: 10)]:value: ' \
        --max-pages-per-sitemap'[pages of one sitemap (default\: 1,000,000)]:value: ' \
        --max-total-bytes'[on the wire, all sitemaps of a site (default\: 10GiB)]:value: ' \
        --max-total-decoded-bytes'[decompressed, all sitemaps of a site (default\: 40GiB)]:value: ' \
        --max-bytes'[on the wire, one sitemap (default\: 100MiB)]:value: ' \
        --max-decoded-bytes'[decompressed, one sitemap (default\: 100MiB)]:value: ' \
        --max-compression-ratio'[bytes decompressed for each on the wire (default\: 1,000)]:value: ' \
        --max-cpu'[to parse one sitemap (default\: 10s)]:value: ' \
        --max-redirects'[of one request (default\: 10)]:value: ' \
        --max-retry-after'[longest Retry-After that is waited for (default\: 2m)]:value: ' \
        --max-crawl-delay'[longest Crawl-delay that is waited for (default\: 30s)]:value: ' \
        --max-element-depth'[elements inside each other (default\: 64)]:value: ' \
        --max-attributes'[attributes of a tag (default\: 256)]:value: ' \
        --max-namespaces'[namespaces that a tag declares (default\: 64)]:value: ' \
        --max-name-bytes'[name of an element or an attribute (default\: 1KiB)]:value: ' \
        --max-token-bytes'[a tag, a value or a line of text (default\: 64KiB)]:value: ' \
        --max-text-length'[characters of a title or another text; the rest is cut off (default\: 4,096)]:value: ' \
        --max-url-length'[characters of a URL (default\: 8,192)]:value: ' \
        --max-images'[images of a page (default\: 1,000)]:value: ' \
        --max-videos'[videos of a page (default\: 100)]:value: ' \
        --max-alternates'[alternates of a page (default\: 1,000)]:value: ' \
        --max-gzip-members'[members of a gzip file (default\: 1,000)]:value: ' \
        --max-compression-layers'[gzip in gzip (default\: 3)]:value: ' \
        --max-issues'[issues that are kept of a document, of one code a tenth (default\: 100)]:value: ' \
        --max-robots-bytes'[of robots.txt, as far as rules are read (default\: 500KiB)]:value: ' \
        --max-robots-line-bytes'[a line of robots.txt (default\: 16664)]:value: ' \
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else each 10 s), plain, json or none (default\: auto)]:value:(auto plain json none)' \
        --color'[auto, always, never (default\: auto)]:value:(auto always never)' \
        --log-file'[write everything that happens to this file]:file:_files' \
        --config'[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      find)
        _arguments \
        --include-sitemap'[only sitemaps that match, and what these list\: '\''*news*'\'']:value: ' \
        --exclude-sitemap'[do not read sitemaps that match]:value: ' \
        --json'[JSON\: one object per line where it is a list]' \
        {-o,--output}'[write to this file; its name says the format (.txt, .json, for pages .csv …)]:file:_files' \
        --force'[overwrite the file if it exists, once the new one is whole]' \
        --fail-on-partial'[exit with 4 if a sitemap failed or was cut]' \
        --no-robots'[do not read robots.txt]' \
        --known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]' \
        --known-path'[try this path, too]:value: ' \
        --homepage-links'[look for sitemaps that the homepage names\: always, never, or when-empty\: when there is no page so far (default\: when-empty; of find\: always)]:value:(always when-empty never)' \
        --respect-robots'[request nothing that robots.txt disallows (RFC 9309)]' \
        --no-normalize'[start at the URL as it is, not at the root of its site]' \
        --cross-host'[sitemaps on other hosts\: follow, same-site (same registrable domain), none (default\: follow)]:value:(follow same-site none)' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public (to cloud metadata never)]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
        --https-only'[request nothing over plain http]' \
        --concurrency'[requests at once to one host (default\: 2)]:value: ' \
        --delay'[from one request to the next, for each host (default\: 0)]:value: ' \
        --crawl-delay'[wait as the Crawl-delay of robots.txt asks]' \
        {-j,--jobs}'[sites read at once (default\: 8)]:value: ' \
        --retries'[further tries of a request that may pass (default\: 2)]:value: ' \
        --backoff'[longest first wait before a further try (default\: 1s)]:value: ' \
        --timeout'[for one request with its body (default\: 5m)]:value: ' \
        --headers-timeout'[from the request to the end of the headers (default\: 30s)]:value: ' \
        --idle-timeout'[between two pieces of a body (default\: 30s)]:value: ' \
        --min-speed'[slower bodies are given up, per second (default\: 1KiB)]:value: ' \
        --deadline'[for one site (default\: 1h)]:value: ' \
        --max-pages'[pages of a site (default\: none)]:value: ' \
        --max-sitemaps'[sitemaps requested (default\: 50,000)]:value: ' \
        --max-depth'[level of the deepest sitemap; robots.txt is level 0 (default\: 11)]:value: ' \
        --max-indexes'[sitemaps that list sitemaps (default\: 500)]:value: ' \
        --max-children'[sitemaps of one index (default\: 50,000)]:value: ' \
        --max-robots-sitemaps'[Sitemap lines of robots.txt (default\: 5,000)]:value: ' \
        --max-barren-children'[sitemaps of one index in a row that give nothing (default\: 200)]:value: ' \
        --max-foreign-hosts'[hosts of other sites (default\: 10)]:value: ' \
        --max-pages-per-sitemap'[pages of one sitemap (default\: 1,000,000)]:value: ' \
        --max-total-bytes'[on the wire, all sitemaps of a site (default\: 10GiB)]:value: ' \
        --max-total-decoded-bytes'[decompressed, all sitemaps of a site (default\: 40GiB)]:value: ' \
        --max-bytes'[on the wire, one sitemap (default\: 100MiB)]:value: ' \
        --max-decoded-bytes'[decompressed, one sitemap (default\: 100MiB)]:value: ' \
        --max-compression-ratio'[bytes decompressed for each on the wire (default\: 1,000)]:value: ' \
        --max-cpu'[to parse one sitemap (default\: 10s)]:value: ' \
        --max-redirects'[of one request (default\: 10)]:value: ' \
        --max-retry-after'[longest Retry-After that is waited for (default\: 2m)]:value: ' \
        --max-crawl-delay'[longest Crawl-delay that is waited for (default\: 30s)]:value: ' \
        --max-element-depth'[elements inside each other (default\: 64)]:value: ' \
        --max-attributes'[attributes of a tag (default\: 256)]:value: ' \
        --max-namespaces'[namespaces that a tag declares (default\: 64)]:value: ' \
        --max-name-bytes'[name of an element or an attribute (default\: 1KiB)]:value: ' \
        --max-token-bytes'[a tag, a value or a line of text (default\: 64KiB)]:value: ' \
        --max-text-length'[characters of a title or another text; the rest is cut off (default\: 4,096)]:value: ' \
        --max-url-length'[characters of a URL (default\: 8,192)]:value: ' \
        --max-images'[images of a page (default\: 1,000)]:value: ' \
        --max-videos'[videos of a page (default\: 100)]:value: ' \
        --max-alternates'[alternates of a page (default\: 1,000)]:value: ' \
        --max-gzip-members'[members of a gzip file (default\: 1,000)]:value: ' \
        --max-compression-layers'[gzip in gzip (default\: 3)]:value: ' \
        --max-issues'[issues that are kept of a document, of one code a tenth (default\: 100)]:value: ' \
        --max-robots-bytes'[of robots.txt, as far as rules are read (default\: 500KiB)]:value: ' \
        --max-robots-line-bytes'[a line of robots.txt (default\: 16664)]:value: ' \
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else each 10 s), plain, json or none (default\: auto)]:value:(auto plain json none)' \
        --color'[auto, always, never (default\: auto)]:value:(auto always never)' \
        --log-file'[write everything that happens to this file]:file:_files' \
        --config'[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      stats)
        _arguments \
        --include'[only pages that match\: '\''/blog/*'\'', '\''*.html'\'']:value: ' \
        --exclude'[no pages that match\: '\''*.pdf'\'']:value: ' \
        --include-sitemap'[only sitemaps that match, and what these list\: '\''*news*'\'']:value: ' \
        --exclude-sitemap'[do not read sitemaps that match]:value: ' \
        --since'[only pages that changed since\: 2026-11-01, 7d; none without a date]:value: ' \
        --kind'[only pages with news, image or video data, or from a feed]:value:(news image video feed)' \
        --lang'[only pages in these languages\: de,fr (from news and hreflang)]:value: ' \
        --limit'[stop after N pages]:value: ' \
        --unique'[each URL once, though several sitemaps list it; remembers all of them]' \
        --json'[JSON\: one object per line where it is a list]' \
        {-o,--output}'[write to this file; its name says the format (.txt, .json, for pages .csv …)]:file:_files' \
        --force'[overwrite the file if it exists, once the new one is whole]' \
        --fail-on-partial'[exit with 4 if a sitemap failed or was cut]' \
        --no-robots'[do not read robots.txt]' \
        --known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]' \
        --known-path'[try this path, too]:value: ' \
        --homepage-links'[look for sitemaps that the homepage names\: always, never, or when-empty\: when there is no page so far (default\: when-empty; of find\: always)]:value:(always when-empty never)' \
        --respect-robots'[request nothing that robots.txt disallows (RFC 9309)]' \
        --no-normalize'[start at the URL as it is, not at the root of its site]' \
        --cross-host'[sitemaps on other hosts\: follow, same-site (same registrable domain), none (default\: follow)]:value:(follow same-site none)' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public (to cloud metadata never)]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
        --https-only'[request nothing over plain http]' \
        --concurrency'[requests at once to one host (default\: 2)]:value: ' \
        --delay'[from one request to the next, for each host (default\: 0)]:value: ' \
        --crawl-delay'[wait as the Crawl-delay of robots.txt asks]' \
        --retries'[further tries of a request that may pass (default\: 2)]:value: ' \
        --backoff'[longest first wait before a further try (default\: 1s)]:value: ' \
        --timeout'[for one request with its body (default\: 5m)]:value: ' \
        --headers-timeout'[from the request to the end of the headers (default\: 30s)]:value: ' \
        --idle-timeout'[between two pieces of a body (default\: 30s)]:value: ' \
        --min-speed'[slower bodies are given up, per second (default\: 1KiB)]:value: ' \
        --deadline'[for one site (default\: 1h)]:value: ' \
        --max-pages'[pages of a site (default\: none)]:value: ' \
        --max-sitemaps'[sitemaps requested (default\: 50,000)]:value: ' \
        --max-depth'[level of the deepest sitemap; robots.txt is level 0 (default\: 11)]:value: ' \
        --max-indexes'[sitemaps that list sitemaps (default\: 500)]:value: ' \
        --max-children'[sitemaps of one index (default\: 50,000)]:value: ' \
        --max-robots-sitemaps'[Sitemap lines of robots.txt (default\: 5,000)]:value: ' \
        --max-barren-children'[sitemaps of one index in a row that give nothing (default\: 200)]:value: ' \
        --max-foreign-hosts'[hosts of other sites (default\: 10)]:value: ' \
        --max-pages-per-sitemap'[pages of one sitemap (default\: 1,000,000)]:value: ' \
        --max-total-bytes'[on the wire, all sitemaps of a site (default\: 10GiB)]:value: ' \
        --max-total-decoded-bytes'[decompressed, all sitemaps of a site (default\: 40GiB)]:value: ' \
        --max-bytes'[on the wire, one sitemap (default\: 100MiB)]:value: ' \
        --max-decoded-bytes'[decompressed, one sitemap (default\: 100MiB)]:value: ' \
        --max-compression-ratio'[bytes decompressed for each on the wire (default\: 1,000)]:value: ' \
        --max-cpu'[to parse one sitemap (default\: 10s)]:value: ' \
        --max-redirects'[of one request (default\: 10)]:value: ' \
        --max-retry-after'[longest Retry-After that is waited for (default\: 2m)]:value: ' \
        --max-crawl-delay'[longest Crawl-delay that is waited for (default\: 30s)]:value: ' \
        --max-element-depth'[elements inside each other (default\: 64)]:value: ' \
        --max-attributes'[attributes of a tag (default\: 256)]:value: ' \
        --max-namespaces'[namespaces that a tag declares (default\: 64)]:value: ' \
        --max-name-bytes'[name of an element or an attribute (default\: 1KiB)]:value: ' \
        --max-token-bytes'[a tag, a value or a line of text (default\: 64KiB)]:value: ' \
        --max-text-length'[characters of a title or another text; the rest is cut off (default\: 4,096)]:value: ' \
        --max-url-length'[characters of a URL (default\: 8,192)]:value: ' \
        --max-images'[images of a page (default\: 1,000)]:value: ' \
        --max-videos'[videos of a page (default\: 100)]:value: ' \
        --max-alternates'[alternates of a page (default\: 1,000)]:value: ' \
        --max-gzip-members'[members of a gzip file (default\: 1,000)]:value: ' \
        --max-compression-layers'[gzip in gzip (default\: 3)]:value: ' \
        --max-issues'[issues that are kept of a document, of one code a tenth (default\: 100)]:value: ' \
        --max-robots-bytes'[of robots.txt, as far as rules are read (default\: 500KiB)]:value: ' \
        --max-robots-line-bytes'[a line of robots.txt (default\: 16664)]:value: ' \
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else each 10 s), plain, json or none (default\: auto)]:value:(auto plain json none)' \
        --color'[auto, always, never (default\: auto)]:value:(auto always never)' \
        --log-file'[write everything that happens to this file]:file:_files' \
        --config'[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      sync)
        _arguments \
        --snapshot'[where the site is remembered (default\: its host with .snapshot.gz, in the current directory)]:file:_files' \
        --exit-code'[exit with 6 if a page was added, changed or removed]' \
        --dry-run'[leave the snapshot as it is\: the next sync tells the same]' \
        --no-trust'[ask for every sitemap, though the dates of its index have proved true]' \
        --no-validators'[ask without ETag and Last-Modified\: read everything]' \
        --mass-removal'[when so many of all pages go at once, mark them as suspect (default\: 20%)]:value: ' \
        --redirect-checks'[ask for so many removed pages where they redirect to (default\: 0)]:value: ' \
        {-f,--format}'[auto (a listing on a terminal, one URL per line in a pipe), urls, ndjson, json, csv, tsv, tree, parquet, sqlite (default\: auto)]:value:(auto urls ndjson json csv tsv tree parquet sqlite)' \
        {-o,--output}'[write to this file; its name says the format (.txt, .json, for pages .csv …)]:file:_files' \
        --force'[overwrite the file if it exists, once the new one is whole]' \
        --json'[JSON\: one object per line where it is a list]' \
        --fail-on-partial'[exit with 4 if a sitemap failed or was cut]' \
        --no-robots'[do not read robots.txt]' \
        --known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]' \
        --known-path'[try this path, too]:value: ' \
        --homepage-links'[look for sitemaps that the homepage names\: always, never, or when-empty\: when there is no page so far (default\: when-empty; of find\: always)]:value:(always when-empty never)' \
        --respect-robots'[request nothing that robots.txt disallows (RFC 9309)]' \
        --no-normalize'[start at the URL as it is, not at the root of its site]' \
        --cross-host'[sitemaps on other hosts\: follow, same-site (same registrable domain), none (default\: follow)]:value:(follow same-site none)' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public (to cloud metadata never)]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
        --https-only'[request nothing over plain http]' \
        --concurrency'[requests at once to one host (default\: 2)]:value: ' \
        --delay'[from one request to the next, for each host (default\: 0)]:value: ' \
        --crawl-delay'[wait as the Crawl-delay of robots.txt asks]' \
        --retries'[further tries of a request that may pass (default\: 2)]:value: ' \
        --backoff'[longest first wait before a further try (default\: 1s)]:value: ' \
        --timeout'[for one request with its body (default\: 5m)]:value: ' \
        --headers-timeout'[from the request to the end of the headers (default\: 30s)]:value: ' \
        --idle-timeout'[between two pieces of a body (default\: 30s)]:value: ' \
        --min-speed'[slower bodies are given up, per second (default\: 1KiB)]:value: ' \
        --deadline'[for one site (default\: 1h)]:value: ' \
        --max-pages'[pages of a site (default\: none)]:value: ' \
        --max-sitemaps'[sitemaps requested (default\: 50,000)]:value: ' \
        --max-depth'[level of the deepest sitemap; robots.txt is level 0 (default\: 11)]:value: ' \
        --max-indexes'[sitemaps that list sitemaps (default\: 500)]:value: ' \
        --max-children'[sitemaps of one index (default\: 50,000)]:value: ' \
        --max-robots-sitemaps'[Sitemap lines of robots.txt (default\: 5,000)]:value: ' \
        --max-barren-children'[sitemaps of one index in a row that give nothing (default\: 200)]:value: ' \
        --max-foreign-hosts'[hosts of other sites (default\: 10)]:value: ' \
        --max-pages-per-sitemap'[pages of one sitemap (default\: 1,000,000)]:value: ' \
        --max-total-bytes'[on the wire, all sitemaps of a site (default\: 10GiB)]:value: ' \
        --max-total-decoded-bytes'[decompressed, all sitemaps of a site (default\: 40GiB)]:value: ' \
        --max-bytes'[on the wire, one sitemap (default\: 100MiB)]:value: ' \
        --max-decoded-bytes'[decompressed, one sitemap (default\: 100MiB)]:value: ' \
        --max-compression-ratio'[bytes decompressed for each on the wire (default\: 1,000)]:value: ' \
        --max-cpu'[to parse one sitemap (default\: 10s)]:value: ' \
        --max-redirects'[of one request (default\: 10)]:value: ' \
        --max-retry-after'[longest Retry-After that is waited for (default\: 2m)]:value: ' \
        --max-crawl-delay'[longest Crawl-delay that is waited for (default\: 30s)]:value: ' \
        --max-element-depth'[elements inside each other (default\: 64)]:value: ' \
        --max-attributes'[attributes of a tag (default\: 256)]:value: ' \
        --max-namespaces'[namespaces that a tag declares (default\: 64)]:value: ' \
        --max-name-bytes'[name of an element or an attribute (default\: 1KiB)]:value: ' \
        --max-token-bytes'[a tag, a value or a line of text (default\: 64KiB)]:value: ' \
        --max-text-length'[characters of a title or another text; the rest is cut off (default\: 4,096)]:value: ' \
        --max-url-length'[characters of a URL (default\: 8,192)]:value: ' \
        --max-images'[images of a page (default\: 1,000)]:value: ' \
        --max-videos'[videos of a page (default\: 100)]:value: ' \
        --max-alternates'[alternates of a page (default\: 1,000)]:value: ' \
        --max-gzip-members'[members of a gzip file (default\: 1,000)]:value: ' \
        --max-compression-layers'[gzip in gzip (default\: 3)]:value: ' \
        --max-issues'[issues that are kept of a document, of one code a tenth (default\: 100)]:value: ' \
        --max-robots-bytes'[of robots.txt, as far as rules are read (default\: 500KiB)]:value: ' \
        --max-robots-line-bytes'[a line of robots.txt (default\: 16664)]:value: ' \
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else each 10 s), plain, json or none (default\: auto)]:value:(auto plain json none)' \
        --color'[auto, always, never (default\: auto)]:value:(auto always never)' \
        --log-file'[write everything that happens to this file]:file:_files' \
        --config'[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      watch)
        _arguments \
        --every'[from one sync of a site to the next; one that stays the same, or fails, is asked less often (default\: 15m)]:value: ' \
        --max-every'[but at least so often (default\: eight times --every)]:value: ' \
        --on-change'[run this in a shell when pages changed, with the changes as NDJSON on stdin; if it fails, they come again]:value: ' \
        --webhook'[POST a JSON object with the summary and up to 1,000 changes there; if that fails, they come again]:value: ' \
        --snapshots'[where the snapshots are, one for each site (default\: the current directory)]:file:_files' \
        --no-trust'[ask for every sitemap, though the dates of its index have proved true]' \
        --no-validators'[ask without ETag and Last-Modified\: read everything]' \
        --mass-removal'[when so many of all pages go at once, mark them as suspect (default\: 20%)]:value: ' \
        --redirect-checks'[ask for so many removed pages where they redirect to (default\: 0)]:value: ' \
        {-f,--format}'[auto (a listing on a terminal, one URL per line in a pipe), urls, ndjson, json, csv, tsv, tree, parquet, sqlite (default\: auto)]:value:(auto urls ndjson json csv tsv tree parquet sqlite)' \
        --json'[JSON\: one object per line where it is a list]' \
        --no-robots'[do not read robots.txt]' \
        --known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none (default\: usual)]' \
        --known-path'[try this path, too]:value: ' \
        --homepage-links'[look for sitemaps that the homepage names\: always, never, or when-empty\: when there is no page so far (default\: when-empty; of find\: always)]:value:(always when-empty never)' \
        --respect-robots'[request nothing that robots.txt disallows (RFC 9309)]' \
        --no-normalize'[start at the URL as it is, not at the root of its site]' \
        --cross-host'[sitemaps on other hosts\: follow, same-site (same registrable domain), none (default\: follow)]:value:(follow same-site none)' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public (to cloud metadata never)]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
        --https-only'[request nothing over plain http]' \
        --concurrency'[requests at once to one host (default\: 2)]:value: ' \
        --delay'[from one request to the next, for each host (default\: 0)]:value: ' \
        --crawl-delay'[wait as the Crawl-delay of robots.txt asks]' \
        {-j,--jobs}'[sites read at once (default\: 8)]:value: ' \
        --retries'[further tries of a request that may pass (default\: 2)]:value: ' \
        --backoff'[longest first wait before a further try (default\: 1s)]:value: ' \
        --timeout'[for one request with its body (default\: 5m)]:value: ' \
        --headers-timeout'[from the request to the end of the headers (default\: 30s)]:value: ' \
        --idle-timeout'[between two pieces of a body (default\: 30s)]:value: ' \
        --min-speed'[slower bodies are given up, per second (default\: 1KiB)]:value: ' \
        --deadline'[for one site (default\: 1h)]:value: ' \
        --max-pages'[pages of a site (default\: none)]:value: ' \
        --max-sitemaps'[sitemaps requested (default\: 50,000)]:value: ' \
        --max-depth'[level of the deepest sitemap; robots.txt is level 0 (default\: 11)]:value: ' \
        --max-indexes'[sitemaps that list sitemaps (default\: 500)]:value: ' \
        --max-children'[sitemaps of one index (default\: 50,000)]:value: ' \
        --max-robots-sitemaps'[Sitemap lines of robots.txt (default\: 5,000)]:value: ' \
        --max-barren-children'[sitemaps of one index in a row that give nothing (default\: 200)]:value: ' \
        --max-foreign-hosts'[hosts of other sites (default\: 10)]:value: ' \
        --max-pages-per-sitemap'[pages of one sitemap (default\: 1,000,000)]:value: ' \
        --max-total-bytes'[on the wire, all sitemaps of a site (default\: 10GiB)]:value: ' \
        --max-total-decoded-bytes'[decompressed, all sitemaps of a site (default\: 40GiB)]:value: ' \
        --max-bytes'[on the wire, one sitemap (default\: 100MiB)]:value: ' \
        --max-decoded-bytes'[decompressed, one sitemap (default\: 100MiB)]:value: ' \
        --max-compression-ratio'[bytes decompressed for each on the wire (default\: 1,000)]:value: ' \
        --max-cpu'[to parse one sitemap (default\: 10s)]:value: ' \
        --max-redirects'[of one request (default\: 10)]:value: ' \
        --max-retry-after'[longest Retry-After that is waited for (default\: 2m)]:value: ' \
        --max-crawl-delay'[longest Crawl-delay that is waited for (default\: 30s)]:value: ' \
        --max-element-depth'[elements inside each other (default\: 64)]:value: ' \
        --max-attributes'[attributes of a tag (default\: 256)]:value: ' \
        --max-namespaces'[namespaces that a tag declares (default\: 64)]:value: ' \
        --max-name-bytes'[name of an element or an attribute (default\: 1KiB)]:value: ' \
        --max-token-bytes'[a tag, a value or a line of text (default\: 64KiB)]:value: ' \
        --max-text-length'[characters of a title or another text; the rest is cut off (default\: 4,096)]:value: ' \
        --max-url-length'[characters of a URL (default\: 8,192)]:value: ' \
        --max-images'[images of a page (default\: 1,000)]:value: ' \
        --max-videos'[videos of a page (default\: 100)]:value: ' \
        --max-alternates'[alternates of a page (default\: 1,000)]:value: ' \
        --max-gzip-members'[members of a gzip file (default\: 1,000)]:value: ' \
        --max-compression-layers'[gzip in gzip (default\: 3)]:value: ' \
        --max-issues'[issues that are kept of a document, of one code a tenth (default\: 100)]:value: ' \
        --max-robots-bytes'[of robots.txt, as far as rules are read (default\: 500KiB)]:value: ' \
        --max-robots-line-bytes'[a line of robots.txt (default\: 16664)]:value: ' \
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else each 10 s), plain, json or none (default\: auto)]:value:(auto plain json none)' \
        --color'[auto, always, never (default\: auto)]:value:(auto always never)' \
        --log-file'[write everything that happens to this file]:file:_files' \
        --config'[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      diff)
        _arguments \
        --exit-code'[exit with 6 if a page was added, changed or removed]' \
        --mass-removal'[when so many of all pages go at once, mark them as suspect (default\: 20%)]:value: ' \
        {-f,--format}'[auto (a listing on a terminal, one URL per line in a pipe), urls, ndjson, json, csv, tsv, tree, parquet, sqlite (default\: auto)]:value:(auto urls ndjson json csv tsv tree parquet sqlite)' \
        {-o,--output}'[write to this file; its name says the format (.txt, .json, for pages .csv …)]:file:_files' \
        --force'[overwrite the file if it exists, once the new one is whole]' \
        --json'[JSON\: one object per line where it is a list]' \
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else each 10 s), plain, json or none (default\: auto)]:value:(auto plain json none)' \
        --color'[auto, always, never (default\: auto)]:value:(auto always never)' \
        --log-file'[write everything that happens to this file]:file:_files' \
        --config'[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:file:_files'
        ;;
      snapshot)
        _arguments \
        --include'[only pages that match\: '\''/blog/*'\'', '\''*.html'\'']:value: ' \
        --exclude'[no pages that match\: '\''*.pdf'\'']:value: ' \
        --since'[only pages that changed since\: 2026-11-01, 7d; none without a date]:value: ' \
        --limit'[stop after N pages]:value: ' \
        --sample'[N pages of all, chosen by their URL\: the same ones each time]:value: ' \
        --stratify'[spread the sample evenly over sections (path) or sitemaps (sitemap)]:value:(path sitemap)' \
        --unique'[each URL once, though several sitemaps list it; remembers all of them]' \
        --rewrite-origin'[put this origin in place of each page'\''s own]:value: ' \
        {-f,--format}'[auto (a listing on a terminal, one URL per line in a pipe), urls, ndjson, json, csv, tsv, tree, parquet, sqlite (default\: auto)]:value:(auto urls ndjson json csv tsv tree parquet sqlite)' \
        {-o,--output}'[write to this file; its name says the format (.txt, .json, for pages .csv …)]:file:_files' \
        --force'[overwrite the file if it exists, once the new one is whole]' \
        --fields'[only these fields\: url,lastmod,title]:value: ' \
        --csv-raw'[leave what a spreadsheet would take for a formula as it is in csv and tsv]' \
        --json'[JSON\: one object per line where it is a list]' \
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else each 10 s), plain, json or none (default\: auto)]:value:(auto plain json none)' \
        --color'[auto, always, never (default\: auto)]:value:(auto always never)' \
        --log-file'[write everything that happens to this file]:file:_files' \
        --config'[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:file:_files'
        ;;
      parse)
        _arguments \
        --url'[where the document came from\: relative URLs start there]:value: ' \
        --content-type'[the Content-Type it came with]:value: ' \
        --sitemaps'[the sitemaps that an index lists, instead of pages]' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        --include'[only pages that match\: '\''/blog/*'\'', '\''*.html'\'']:value: ' \
        --exclude'[no pages that match\: '\''*.pdf'\'']:value: ' \
        --since'[only pages that changed since\: 2026-11-01, 7d; none without a date]:value: ' \
        --kind'[only pages with news, image or video data, or from a feed]:value:(news image video feed)' \
        --lang'[only pages in these languages\: de,fr (from news and hreflang)]:value: ' \
        --limit'[stop after N pages]:value: ' \
        --sample'[N pages of all, chosen by their URL\: the same ones each time]:value: ' \
        --stratify'[spread the sample evenly over sections (path) or sitemaps (sitemap)]:value:(path sitemap)' \
        --unique'[each URL once, though several sitemaps list it; remembers all of them]' \
        --rewrite-origin'[put this origin in place of each page'\''s own]:value: ' \
        {-f,--format}'[auto (a listing on a terminal, one URL per line in a pipe), urls, ndjson, json, csv, tsv, tree, parquet, sqlite (default\: auto)]:value:(auto urls ndjson json csv tsv tree parquet sqlite)' \
        {-o,--output}'[write to this file; its name says the format (.txt, .json, for pages .csv …)]:file:_files' \
        --force'[overwrite the file if it exists, once the new one is whole]' \
        --fields'[only these fields\: url,lastmod,title]:value: ' \
        --csv-raw'[leave what a spreadsheet would take for a formula as it is in csv and tsv]' \
        --json'[JSON\: one object per line where it is a list]' \
        --fail-on-partial'[exit with 4 if a sitemap failed or was cut]' \
        --max-element-depth'[elements inside each other (default\: 64)]:value: ' \
        --max-attributes'[attributes of a tag (default\: 256)]:value: ' \
        --max-namespaces'[namespaces that a tag declares (default\: 64)]:value: ' \
        --max-name-bytes'[name of an element or an attribute (default\: 1KiB)]:value: ' \
        --max-token-bytes'[a tag, a value or a line of text (default\: 64KiB)]:value: ' \
        --max-text-length'[characters of a title or another text; the rest is cut off (default\: 4,096)]:value: ' \
        --max-url-length'[characters of a URL (default\: 8,192)]:value: ' \
        --max-images'[images of a page (default\: 1,000)]:value: ' \
        --max-videos'[videos of a page (default\: 100)]:value: ' \
        --max-alternates'[alternates of a page (default\: 1,000)]:value: ' \
        --max-gzip-members'[members of a gzip file (default\: 1,000)]:value: ' \
        --max-compression-layers'[gzip in gzip (default\: 3)]:value: ' \
        --max-issues'[issues that are kept of a document, of one code a tenth (default\: 100)]:value: ' \
        --max-robots-bytes'[of robots.txt, as far as rules are read (default\: 500KiB)]:value: ' \
        --max-robots-line-bytes'[a line of robots.txt (default\: 16664)]:value: ' \
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else each 10 s), plain, json or none (default\: auto)]:value:(auto plain json none)' \
        --color'[auto, always, never (default\: auto)]:value:(auto always never)' \
        --log-file'[write everything that happens to this file]:file:_files' \
        --config'[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:file:_files'
        ;;
      robots)
        _arguments \
        --can-fetch'[say whether this URL or path may be fetched]:value: ' \
        --as'[by this crawler (default\: siteatlas)]:value: ' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        --json'[JSON\: one object per line where it is a list]' \
        {-o,--output}'[write to this file; its name says the format (.txt, .json, for pages .csv …)]:file:_files' \
        --force'[overwrite the file if it exists, once the new one is whole]' \
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public (to cloud metadata never)]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
        --https-only'[request nothing over plain http]' \
        --retries'[further tries of a request that may pass (default\: 2)]:value: ' \
        --backoff'[longest first wait before a further try (default\: 1s)]:value: ' \
        --timeout'[for one request with its body (default\: 5m)]:value: ' \
        --headers-timeout'[from the request to the end of the headers (default\: 30s)]:value: ' \
        --idle-timeout'[between two pieces of a body (default\: 30s)]:value: ' \
        --min-speed'[slower bodies are given up, per second (default\: 1KiB)]:value: ' \
        --max-bytes'[on the wire, one sitemap (default\: 100MiB)]:value: ' \
        --max-redirects'[of one request (default\: 10)]:value: ' \
        --max-retry-after'[longest Retry-After that is waited for (default\: 2m)]:value: ' \
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else each 10 s), plain, json or none (default\: auto)]:value:(auto plain json none)' \
        --color'[auto, always, never (default\: auto)]:value:(auto always never)' \
        --log-file'[write everything that happens to this file]:file:_files' \
        --config'[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      completion)
        _arguments \
        {-h,--help}'[help]' \
        '1:shell:(bash zsh fish)'
        ;;
  esac
}
_siteatlas "$@"
