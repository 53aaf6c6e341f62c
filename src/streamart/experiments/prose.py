"""Paragraphs of the page that do not depend on any result."""

TABLE_2 = """\
As in the paper, the best adjusted Rand index (ARI) of a grid counts; k is the number of clusters, \
P the number of categories. Of settings with the same ARI, the one with the paper's k and P is \
shown, if there is one. A model is judged by presenting all samples again at the end of the \
stream. "Raised" tests the second winner with the vigilance in force instead of `rho` \
(`second_winner_vigilance`), about which the paper's text and its rows disagree. StreamART is this \
package's own model: it has no grid and runs with its defaults. The ceiling is what quadratic \
discriminant analysis reaches when it is *given* the true classes of these samples."""

WHY = """\
- **Rivals.** What their descriptions leave open was tried both ways in
  [the paper's rivals](rivals.md). DRN differs because the paper's row is one draw of an order that
  the authors' program leaves to chance.
- **CH, WB, PBM.** The paper's text leaves some twenty things open (which of two equals is first,
  how compression treats active categories, ...); [paper-map.md](paper-map.md) says how each is
  read. P, the number of boxes that cover the same clusters, depends on most of them.
- **XB.** The index sees only the nearest two clusters, so one category more or less can change the
  whole partition. Which of the 120 runs is best is a matter of luck, here and in the paper.
- **conn_index.** Something about it is still not understood: one reading gives the paper's row in
  class-incremental order, and none gives the rows of the other orders as well."""
