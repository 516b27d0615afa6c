CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  stage TEXT NOT NULL,
  input TEXT NOT NULL            -- JSON: what the run was started with
) STRICT;

-- What is kept of a run beside its events: 'config', a copy of the configuration file, and 'attachments'.
CREATE TABLE facts (
  run TEXT NOT NULL REFERENCES runs (id),
  name TEXT NOT NULL,
  value TEXT NOT NULL,           -- JSON
  PRIMARY KEY (run, name)
) STRICT;

-- Everything that happens in a run, in order; reducing the events gives its state.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL REFERENCES runs (id),
  at INTEGER NOT NULL,
  event TEXT NOT NULL            -- JSON: see src-shared/run/events.ts
) STRICT;
CREATE INDEX events_of_run ON events (run, seq);
-- The condition is that of journal/judgements.ts.
CREATE INDEX verdict_events ON events (seq) WHERE json_extract(event, '$.kind') IN
  ('VotesCounted', 'ResultReturned', 'ResultLanded', 'LandingUndone', 'LandingRedone', 'LandingReverted');
CREATE INDEX pattern_uses ON events (run, seq) WHERE substr(event, 1, 26) = '{"kind":"PatternsInjected"';

-- The result of a step that must not happen twice, by its name.
CREATE TABLE steps (
  run TEXT NOT NULL REFERENCES runs (id),
  step TEXT NOT NULL,
  at INTEGER NOT NULL,
  result TEXT NOT NULL,
  PRIMARY KEY (run, step)
) STRICT;

-- What is shown of conversations.
CREATE TABLE rows (
  run TEXT NOT NULL REFERENCES runs (id),
  worker TEXT NOT NULL,
  place INTEGER NOT NULL,
  at INTEGER NOT NULL,
  entry TEXT NOT NULL,
  PRIMARY KEY (run, worker, place)
) STRICT;

-- What a model is given again after a restart. A driver of conversations writes its parts, and nothing else reads them.
CREATE TABLE histories (
  run TEXT NOT NULL REFERENCES runs (id),
  worker TEXT NOT NULL,
  driver TEXT NOT NULL,
  parts TEXT NOT NULL,           -- JSON: an array of texts
  PRIMARY KEY (run, worker)
) STRICT;

-- The conversation that a worker is in the middle of, to resume it after a restart; the next one replaces it.
CREATE TABLE open_conversations (
  run TEXT NOT NULL REFERENCES runs (id),
  worker TEXT NOT NULL,
  key TEXT NOT NULL,             -- what it was begun for
  delivered TEXT NOT NULL,       -- JSON: change ids of the messages that its prompt brought
  driver TEXT NOT NULL,
  PRIMARY KEY (run, worker)
) STRICT;
CREATE TABLE open_parts (
  run TEXT NOT NULL,
  worker TEXT NOT NULL,
  place INTEGER NOT NULL,
  part TEXT NOT NULL,
  PRIMARY KEY (run, worker, place),
  FOREIGN KEY (run, worker) REFERENCES open_conversations (run, worker) ON DELETE CASCADE
) STRICT;
-- What parts read before they were shortened, while their conversation had at most `up_to` of them.
CREATE TABLE replaced_parts (
  run TEXT NOT NULL,
  worker TEXT NOT NULL,
  place INTEGER NOT NULL,
  up_to INTEGER NOT NULL,
  part TEXT NOT NULL,
  PRIMARY KEY (run, worker, place, up_to),
  FOREIGN KEY (run, worker) REFERENCES open_conversations (run, worker) ON DELETE CASCADE
) STRICT;

-- Conversations of iterations that are over.
CREATE TABLE kept_conversations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL REFERENCES runs (id),
  worker TEXT NOT NULL,
  iteration INTEGER NOT NULL,    -- 0: what the worker's first one begins with
  driver TEXT NOT NULL,
  "commit" TEXT,                 -- of its change when the iteration had ended
  characters INTEGER NOT NULL,
  at INTEGER NOT NULL,
  made_way INTEGER NOT NULL DEFAULT 0,
  UNIQUE (run, worker, iteration)
) STRICT;
CREATE TABLE kept_texts (
  hash TEXT PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;
CREATE TABLE kept_parts (
  kept INTEGER NOT NULL REFERENCES kept_conversations (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  up_to INTEGER,                 -- null: as it read at the end
  hash TEXT NOT NULL REFERENCES kept_texts (hash)
) STRICT;
CREATE INDEX parts_of_kept ON kept_parts (kept);
CREATE INDEX kept_with_text ON kept_parts (hash);

CREATE TABLE spending (
  request TEXT PRIMARY KEY,
  run TEXT NOT NULL REFERENCES runs (id),
  worker TEXT NOT NULL,
  model TEXT NOT NULL,
  at INTEGER NOT NULL,
  micro_dollars INTEGER NOT NULL,
  spent TEXT NOT NULL
) STRICT;
CREATE INDEX spending_of_run ON spending (run, at);

CREATE TABLE inbox (
  id TEXT PRIMARY KEY,
  run TEXT NOT NULL REFERENCES runs (id),
  at INTEGER NOT NULL,
  nonce TEXT NOT NULL UNIQUE,
  shown TEXT NOT NULL,
  item TEXT NOT NULL,
  answered_at INTEGER,
  decision TEXT
) STRICT;

CREATE TABLE votes (
  run TEXT NOT NULL REFERENCES runs (id),
  attempt INTEGER NOT NULL,
  seat TEXT NOT NULL,
  replacement INTEGER NOT NULL,
  at INTEGER NOT NULL,
  vote TEXT NOT NULL,
  PRIMARY KEY (run, attempt, seat, replacement)
) STRICT;

-- From here on: of the repository and of no run.

-- Goals for later, and suggestions that the user does not want to see again.
CREATE TABLE ideas (id TEXT PRIMARY KEY, at INTEGER NOT NULL, idea TEXT NOT NULL) STRICT;
CREATE TABLE refused_suggestions (suggestion TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;

-- What panels said of changes.
CREATE TABLE change_validations (
  id TEXT PRIMARY KEY,
  change_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX validations_of_change ON change_validations (change_id);

-- What users decided about patterns.
CREATE TABLE pattern_record (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, event TEXT NOT NULL) STRICT;
