"""# What a prediction rests on

Every node and every edge is taken away in turn, and the model is asked again: the number of a node
is by how much the output falls without it. On MOTIF the right answer is known, for only the motif
decides the class.
"""

import torch

from smixup import GraphMatcher, SMixup, SMixupClassifier, load_dataset, to_pyg
from smixup.app.pictures.explained_graph import draw_explanation
from smixup.app.studies.explained import explain_prediction

# %% Train a model

graphs = load_dataset("MOTIF", num_graphs=400).graphs
data = to_pyg(graphs).to_data_list()
method = SMixup(GraphMatcher(max_steps=30), partners=4)
model = SMixupClassifier(
    method, epochs=30, learning_rate=0.01, hidden_channels=32, random_state=0
).fit(data[:300], graphs.labels[:300].numpy())
print(f"accuracy on 100 new graphs: {model.score(data[300:], graphs.labels[300:].numpy()):.2f}")

# %% Explain one prediction
# The output that is explained are the log odds of the class against all others.

new = model.model_.open(data[300:])
place = 4
found = explain_prediction(model.model_, new, place)
motif = graphs[[300 + place]].motif
strongest = found.found.nodes.abs().topk(int(motif.sum())).indices
print(f"class {found.name}, log odds {found.found.output:+.1f}")
of_motif = int(motif[strongest].sum())
print(f"of the {len(strongest)} nodes that matter most, {of_motif} are of the motif")

# %% As a picture
# Orange speaks for the class, blue against it. Nodes are labelled `m` in the motif and `b` in the
# base. The motif stands out; so does the hub of the wheel, for without it the base is no wheel any
# more, and the model has never seen such a graph.

labels = ["m" if each else "b" for each in motif.tolist()]
draw_explanation(found.adj, found.found, labels, f"class {found.name}")

# %% Over all new graphs
# How much of the effect lies on the motif, beside its share of the nodes.

shares = []
for place in range(20):
    effect = explain_prediction(model.model_, new, place).found.nodes.abs()
    motif = graphs[[300 + place]].motif
    shares.append([float(effect[motif].sum() / effect.sum()), float(motif.float().mean())])
on_motif, of_nodes = torch.tensor(shares).mean(0).tolist()
print(f"20 graphs: {on_motif:.0%} of the effect is on the motif,")
print(f"           which has {of_nodes:.0%} of the nodes")
