#compdef siteatlas
# Completion of siteatlas for zsh.
_siteatlas() {
  local -a commands=(
    'ls:list the pages of a site, while it is being read'
    'tree:show the sitemaps of a site as a tree, without their pages'
    'find:say where the sitemaps of a site are and how each was found'
    'stats:numbers and pictures\: sections, last modified, languages, formats, issues'
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
        --since'[only pages that may have changed since\: 2026-11-01, 7d; pages without a date are left out]:value: ' \
        --kind'[only pages with news, image or video data, or from a feed]:value:(news image video feed)' \
        --lang'[only pages in these languages\: de,fr (from news and hreflang)]:value: ' \
        --limit'[stop after N pages]:value: ' \
        --sample'[N pages of all, chosen by their URL\: the same ones each time]:value: ' \
        --stratify'[spread the sample evenly over sections (path) or sitemaps (sitemap)]:value:(path sitemap)' \
        --unique'[each URL once, though several sitemaps list it; remembers all of them]' \
        --rewrite-origin'[put this origin in place of each page'\''s own]:value: ' \
        {-u,--strip-url}'[leave the given URL out of each URL]' \
        {-f,--format}'[auto (a listing on a terminal, one URL per line in a pipe), urls, ndjson, json, csv, tsv, tree, parquet, sqlite]:value:(auto urls ndjson json csv tsv tree parquet sqlite)' \
        {-o,--output}'[write to this file, in the format that its name says (.csv, .ndjson.gz, .parquet …)]:file:_files' \
        --force'[overwrite the file if it exists]' \
        --fields'[only these fields\: url,lastmod,title]:value: ' \
        --csv-raw'[leave what a spreadsheet would take for a formula as it is in csv and tsv]' \
        --ordered'[pages in the order in which the site declares them; holds them all until the end]' \
        --fail-on-partial'[exit with 4 if a sitemap failed or was cut]' \
        --json'[JSON\: one object per line where it is a list]' \
        --no-robots'[do not read robots.txt]' \
        --known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none]' \
        --known-path'[try this path, too]:value: ' \
        --homepage-links'[look for sitemaps that the homepage names\: always, never, or when-empty (when there are no others)]:value:(always when-empty never)' \
        --respect-robots'[request nothing that robots.txt disallows (RFC 9309)]' \
        --no-normalize'[start at the URL as it is, not at the root of its site]' \
        --cross-host'[sitemaps on other hosts\: follow, same-site (same registrable domain), none]:value:(follow same-site none)' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public, whatever site names them]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
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
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else a line each 10 s), plain, json, none]:value:(auto plain json none)' \
        --color'[auto, always, never]:value:(auto always never)' \
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
        {-o,--output}'[write to this file, in the format that its name says (.csv, .ndjson.gz, .parquet …)]:file:_files' \
        --force'[overwrite the file if it exists]' \
        --fail-on-partial'[exit with 4 if a sitemap failed or was cut]' \
        --no-robots'[do not read robots.txt]' \
        --known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none]' \
        --known-path'[try this path, too]:value: ' \
        --homepage-links'[look for sitemaps that the homepage names\: always, never, or when-empty (when there are no others)]:value:(always when-empty never)' \
        --respect-robots'[request nothing that robots.txt disallows (RFC 9309)]' \
        --no-normalize'[start at the URL as it is, not at the root of its site]' \
        --cross-host'[sitemaps on other hosts\: follow, same-site (same registrable domain), none]:value:(follow same-site none)' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public, whatever site names them]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
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
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else a line each 10 s), plain, json, none]:value:(auto plain json none)' \
        --color'[auto, always, never]:value:(auto always never)' \
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
        {-o,--output}'[write to this file, in the format that its name says (.csv, .ndjson.gz, .parquet …)]:file:_files' \
        --force'[overwrite the file if it exists]' \
        --fail-on-partial'[exit with 4 if a sitemap failed or was cut]' \
        --no-robots'[do not read robots.txt]' \
        --known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none]' \
        --known-path'[try this path, too]:value: ' \
        --homepage-links'[look for sitemaps that the homepage names\: always, never, or when-empty (when there are no others)]:value:(always when-empty never)' \
        --respect-robots'[request nothing that robots.txt disallows (RFC 9309)]' \
        --no-normalize'[start at the URL as it is, not at the root of its site]' \
        --cross-host'[sitemaps on other hosts\: follow, same-site (same registrable domain), none]:value:(follow same-site none)' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public, whatever site names them]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
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
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else a line each 10 s), plain, json, none]:value:(auto plain json none)' \
        --color'[auto, always, never]:value:(auto always never)' \
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
        --since'[only pages that may have changed since\: 2026-11-01, 7d; pages without a date are left out]:value: ' \
        --kind'[only pages with news, image or video data, or from a feed]:value:(news image video feed)' \
        --lang'[only pages in these languages\: de,fr (from news and hreflang)]:value: ' \
        --limit'[stop after N pages]:value: ' \
        --unique'[each URL once, though several sitemaps list it; remembers all of them]' \
        --json'[JSON\: one object per line where it is a list]' \
        {-o,--output}'[write to this file, in the format that its name says (.csv, .ndjson.gz, .parquet …)]:file:_files' \
        --force'[overwrite the file if it exists]' \
        --fail-on-partial'[exit with 4 if a sitemap failed or was cut]' \
        --no-robots'[do not read robots.txt]' \
        --known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (16) or thorough (all that any system uses); --no-known tries none]' \
        --known-path'[try this path, too]:value: ' \
        --homepage-links'[look for sitemaps that the homepage names\: always, never, or when-empty (when there are no others)]:value:(always when-empty never)' \
        --respect-robots'[request nothing that robots.txt disallows (RFC 9309)]' \
        --no-normalize'[start at the URL as it is, not at the root of its site]' \
        --cross-host'[sitemaps on other hosts\: follow, same-site (same registrable domain), none]:value:(follow same-site none)' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public, whatever site names them]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
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
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else a line each 10 s), plain, json, none]:value:(auto plain json none)' \
        --color'[auto, always, never]:value:(auto always never)' \
        --log-file'[write everything that happens to this file]:file:_files' \
        --config'[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      parse)
        _arguments \
        --url'[where the document came from\: relative URLs start there]:value: ' \
        --content-type'[the Content-Type it came with]:value: ' \
        --sitemaps'[the sitemaps that an index lists, instead of pages]' \
        --strict'[follow the specifications to the letter, repair nothing]' \
        --include'[only pages that match\: '\''/blog/*'\'', '\''*.html'\'']:value: ' \
        --exclude'[no pages that match\: '\''*.pdf'\'']:value: ' \
        --since'[only pages that may have changed since\: 2026-11-01, 7d; pages without a date are left out]:value: ' \
        --kind'[only pages with news, image or video data, or from a feed]:value:(news image video feed)' \
        --lang'[only pages in these languages\: de,fr (from news and hreflang)]:value: ' \
        --limit'[stop after N pages]:value: ' \
        --sample'[N pages of all, chosen by their URL\: the same ones each time]:value: ' \
        --stratify'[spread the sample evenly over sections (path) or sitemaps (sitemap)]:value:(path sitemap)' \
        --unique'[each URL once, though several sitemaps list it; remembers all of them]' \
        --rewrite-origin'[put this origin in place of each page'\''s own]:value: ' \
        {-f,--format}'[auto (a listing on a terminal, one URL per line in a pipe), urls, ndjson, json, csv, tsv, tree, parquet, sqlite]:value:(auto urls ndjson json csv tsv tree parquet sqlite)' \
        {-o,--output}'[write to this file, in the format that its name says (.csv, .ndjson.gz, .parquet …)]:file:_files' \
        --force'[overwrite the file if it exists]' \
        --fields'[only these fields\: url,lastmod,title]:value: ' \
        --csv-raw'[leave what a spreadsheet would take for a formula as it is in csv and tsv]' \
        --json'[JSON\: one object per line where it is a list]' \
        --fail-on-partial'[exit with 4 if a sitemap failed or was cut]' \
        {-q,--quiet}'[say nothing but errors, and what is not known]' \
        {-v,--verbose}'[say which sitemaps failed and why; -vv\: everything that happens]' \
        --progress'[auto (live on a terminal, else a line each 10 s), plain, json, none]:value:(auto plain json none)' \
        --color'[auto, always, never]:value:(auto always never)' \
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
        {-H,--header}'[send this header to the site itself, never to other hosts]:value: ' \
        {-A,--user-agent}'[say that we are this]:value: ' \
        --proxy'[go through this HTTP proxy]:value: ' \
        --allow-private'[connect to addresses that are not public, whatever site names them]' \
        --allow'[connect to this host, host\:port or range (10.1.0.0/16), though it is not public]:value: ' \
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
        --progress'[auto (live on a terminal, else a line each 10 s), plain, json, none]:value:(auto plain json none)' \
        --color'[auto, always, never]:value:(auto always never)' \
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
