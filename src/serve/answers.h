// The pages of `burin serve`:
//
//   /                    what there is, refreshed while it changes
//   /view?name=NAME      a capture or a session
//   /report?name=NAME    a report that burin wrote before
//   /version[?name=NAME] a word that changes whenever the page would
#pragma once

#include <string>

#include "serve/http/http_server.h"
#include "serve/shelf.h"

namespace burin::serve {

struct Site {
  const Shelf& shelf;
  Listening listening;  // with the port that is listened on
  std::string version;  // of burin
};

// May be called from several threads. Never fails: what cannot be shown is answered in a sentence.
Answer answer(const Site& site, const Request& request);

}  // namespace burin::serve
